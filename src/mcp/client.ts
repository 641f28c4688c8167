/** An MCP client on a `kd-mcp serve` of its own, as the demo and the benchmark use it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export interface McpClientOptions {
  /** Who calls, as sessions show it. */
  readonly name: string;
  readonly version: string;
  /** The server: program and arguments. */
  readonly server: readonly [string, ...string[]];
  readonly cwd?: string;
}

export interface McpClient {
  /** Process id of the server. */
  readonly pid: number | null;
  listTools(): Promise<readonly string[]>;
  /** The text of the reply. An error of the tool is a reply too. */
  call(tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<McpReply>;
  close(): Promise<void>;
}

export interface McpReply {
  readonly text: string;
  readonly isError: boolean;
}

/** Starts the server and shakes hands with it. The server's stderr is this program's. */
export async function connectMcp(options: McpClientOptions): Promise<McpClient> {
  const [command, ...args] = options.server;
  const transport = new StdioClientTransport({
    command,
    args,
    stderr: 'inherit',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const client = new Client({ name: options.name, version: options.version });
  await client.connect(transport);
  return {
    get pid() {
      return transport.pid;
    },
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, toolArguments, signal) => {
      const result = await client.callTool(
        { name, arguments: { ...toolArguments } },
        undefined,
        signal === undefined ? {} : { signal },
      );
      return { text: textOf(result.content), isError: result.isError === true };
    },
    close: () => client.close(),
  };
}

/** The tools answer with text only. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .join('\n');
}
