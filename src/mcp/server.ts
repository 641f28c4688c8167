/** The tools as an MCP server. The only folder that knows the SDK. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ListToolsRequestSchema, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { ClientIdentity } from '../host/protocol.ts';
import { type CallOptions, type CallResult, callTool } from '../tools/call.ts';
import { tools } from '../tools/index.ts';
import { describeTool } from '../tools/schema.ts';
import { oneLine } from '../tools/text.ts';
import { INSTRUCTIONS } from './instructions.ts';

export interface McpServerOptions {
  readonly version: string;
  /**
   * Makes what the tools work with when the first call comes: by then the client has said who it is. Made once, and again
   * as long as the configuration cannot be used.
   */
  readonly context: (client: ClientIdentity) => Promise<Context>;
  readonly log?: (text: string) => void;
}

/** A server on one transport. */
export interface McpServer {
  connect(transport: Transport): Promise<void>;
  /** Gives calls `graceMs` to end by themselves, ends their waits then, and settles when all have been answered. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

type Context = Awaited<ReturnType<CallOptions['context']>>;

export function createMcpServer(options: McpServerOptions): McpServer {
  const server = new Server(
    { name: 'kd', version: options.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const ending = new AbortController();
  const calls = new Set<Promise<unknown>>();
  let shared: Promise<Context> | undefined;
  const make = (): Promise<Context> => options.context({ kind: 'agent', name: clientName(server) });
  const context = async (): Promise<Context> => {
    shared ??= make();
    const known = await shared;
    // A wrong configuration may have been corrected meanwhile. Other calls keep the sessions that they work with.
    if (known.configProblem === undefined || calls.size > 1) return known;
    known.sessions.dispose();
    shared = make();
    return shared;
  };

  server.onerror = (error) => options.log?.(`MCP: ${error.message}`);
  const list: McpTool[] = tools.map((tool) => ({ ...describeTool(tool) }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list }));
  // Not setRequestHandler: that answers arguments of the wrong shape with a protocol error, which no model sees.
  server.fallbackRequestHandler = async (request, extra) => {
    if (request.method !== 'tools/call')
      throw Object.assign(new Error(`Method not found: ${request.method}`), { code: -32601 });
    const params: Readonly<Record<string, unknown>> = request.params ?? {};
    const answer = callTool(params.name, params.arguments, {
      context,
      signal: AbortSignal.any([ending.signal, extra.signal]),
      progress: progressTo(extra),
      ...(options.log ? { log: options.log } : {}),
    });
    calls.add(answer);
    void answer.finally(() => calls.delete(answer));
    const result = toMcp(await answer);
    // A cancelled call gets its answer too: some clients wait for one (field-reports.md 14). The SDK would send none.
    if (extra.signal.aborted) await server.transport?.send({ jsonrpc: '2.0', id: extra.requestId, result });
    return result;
  };

  return {
    connect: (transport) => server.connect(transport),
    drain: async (graceMs) => {
      const timer = setTimeout(() => ending.abort(), graceMs);
      await Promise.allSettled(calls);
      clearTimeout(timer);
    },
    close: async () => {
      ending.abort();
      await server.close();
      await shared?.then(
        ({ sessions }) => sessions.dispose(),
        () => undefined,
      );
    },
  };
}

function clientName(server: Server): string {
  const name = oneLine(server.getClientVersion()?.name ?? '', 40);
  return name === '' ? 'MCP client' : name;
}

/** Text only: a `structuredContent` makes VS Code drop the text (vscode.md §1). */
function toMcp(answer: CallResult): { content: { type: 'text'; text: string }[]; isError?: true } {
  const content = [{ type: 'text' as const, text: answer.text }];
  return answer.isError ? { content, isError: true } : { content };
}

type Extra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1];

function progressTo(extra: Extra): (message: string) => void {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  let last = '';
  return (message) => {
    if (message === last || extra.signal.aborted) return;
    last = message;
    progress += 1;
    extra
      .sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}
