/**
 * What all tools need, done once: finding the tool, arguments, a broken configuration, cancellation, a last deadline,
 * errors to results. Never throws: a protocol error would hide the text from the model (pitfalls.md 39).
 */
import { SessionError } from '../client/sessions.ts';
import { nearest } from '../config/error.ts';
import { checkArguments } from './arguments.ts';
import { tools } from './index.ts';
import { REPLY_BYTES } from './reply.ts';
import { secretsOf } from './secrets.ts';
import { fitHead, oneLine, plainText } from './text.ts';
import { type Tool, type ToolContext, ToolError } from './tool.ts';
import { Cancelled, LONGEST_WAIT_SEC, unlessAborted } from './wait.ts';

export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface CallOptions {
  /** Everything but the call's own parts; made on the first call, so that start-up stays fast. */
  readonly context: () => Promise<Omit<ToolContext, 'signal' | 'progress'>>;
  readonly signal: AbortSignal;
  readonly progress?: (message: string) => void;
  /** For defects of this program. */
  readonly log?: (text: string) => void;
  readonly tools?: readonly Tool[];
  readonly deadlineMs?: number;
}

export async function callTool(name: unknown, raw: unknown, options: CallOptions): Promise<CallResult> {
  const redact = secretsOf(raw);
  const progress = (message: string): void => options.progress?.(redact(plainText(message)));
  try {
    const tool = findTool(name, options.tools ?? tools);
    const args = checkArguments(tool, raw);
    const shared = await unlessAborted(options.signal, options.context());
    if (shared.configProblem !== undefined && tool.needsConfig !== false) {
      throw new ToolError(
        `The configuration cannot be used, so ${tool.name} does nothing:\n${shared.configProblem}\nNext: have it corrected, then call again.`,
      );
    }
    const work = tool.run(args, { ...shared, signal: options.signal, progress });
    return result(await within(options, work), false, redact);
  } catch (error) {
    return result(errorText(error, options.log, redact), true, redact);
  }
}

function findTool(name: unknown, known: readonly Tool[]): Tool {
  const tool = known.find((one) => one.name === name);
  if (tool) return tool;
  const names = known.map((one) => one.name);
  const guess = typeof name === 'string' ? nearest(name, names) : undefined;
  const word = typeof name === 'string' ? `"${oneLine(name, 60)}"` : 'without a name';
  throw new ToolError(
    `Unknown tool ${word}.${guess ? ` Did you mean ${guess}?` : ''} Tools: ${names.join(', ')}.`,
  );
}

/** The answer of last resort, for a session host that hangs: the tools' own waits are shorter. */
async function within(options: CallOptions, work: Promise<string>): Promise<string> {
  const ms = options.deadlineMs ?? LONGEST_WAIT_SEC * 1000;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `No answer within ${ms / 1000} s. What was asked for may still happen. Next: list_sessions, then read_output.`;
    timer = setTimeout(() => reject(new ToolError(message)), ms);
  });
  try {
    return await Promise.race([unlessAborted(options.signal, work), late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function errorText(error: unknown, log: CallOptions['log'], redact: (text: string) => string): string {
  if (error instanceof ToolError || error instanceof SessionError || error instanceof Cancelled)
    return error.message;
  if (error instanceof Error && error.name === 'ConfigError') return error.message;
  const message = error instanceof Error ? error.message : String(error);
  log?.(redact(error instanceof Error ? (error.stack ?? message) : message));
  return `Unexpected error: ${oneLine(message, 1_000)}. Next: list_sessions; if it stays, run kd-mcp doctor.`;
}

function result(text: string, isError: boolean, redact: (text: string) => string): CallResult {
  const fitted = fitHead(redact(text), REPLY_BYTES);
  return { text: fitted.text === '' ? '(nothing)' : fitted.text, isError };
}
