/** What the demo needs of a guest: the simulated one, or a target of Microsoft's own engine. */
import type { McpReply } from '../mcp/client.ts';

/** Calls a tool and throws when it answers with an error. */
export type CallTool = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<McpReply>;

export interface Guest {
  /** One line for the person who watches. */
  readonly description: string;
  /** Goes into the configuration as `kd.kd_exe`. */
  readonly kdExe: string;
  /** Go into the state file. */
  readonly host: string;
  readonly port: number;
  readonly key: string;
  /** Its WinRM answers at {@link host} while it runs. */
  readonly hasWinrm: boolean;
  /** A command whose output fills several pages. */
  readonly longCommand: string;
  /** A driver of the guest prints (DbgPrint). */
  print(text: string): Promise<void>;
  /** The guest executes a function, so that a breakpoint on it hits. */
  execute(symbol: string): Promise<void>;
  /** After kd has gone: evidence that the guest runs, in one line. @throws when it does not. */
  proveRunning(call: CallTool): Promise<string>;
  dispose(): Promise<void>;
}
