/**
 * An MCP tool as data: what it is called, what it takes, what it does. No SDK here; `mcp/` turns this into MCP.
 *
 * To add a tool: one file in this folder that exports it, its entry in `index.ts`, its test.
 */
import type { Sessions } from '../client/sessions.ts';
import type { Config } from '../config/schema.ts';

/** A flat argument: no unions, nullable or nested forms, because clients flatten them. */
export type Argument =
  | { readonly type: 'string'; readonly description: string; readonly enum?: readonly string[] }
  | {
      readonly type: 'integer' | 'number';
      readonly description: string;
      readonly minimum?: number;
      readonly maximum?: number;
    }
  | { readonly type: 'boolean'; readonly description: string };

export type ArgumentValue = string | number | boolean;
export type Arguments = Readonly<Record<string, ArgumentValue | undefined>>;

export interface ToolContext {
  readonly sessions: Sessions;
  readonly config: Config;
  /** Where the configuration came from, for messages. */
  readonly configPath?: string;
  /** The configuration could not be read; `config` holds the defaults. Only tools with `needsConfig: false` run. */
  readonly configProblem?: string;
  /** Keys without effect and the like. */
  readonly configWarnings?: readonly string[];
  /** Frees guests that dead sessions left frozen. */
  readonly rescuer?: { readonly idle: Promise<void>; readonly reports: readonly string[] };
  /** The client gave up: stop waiting (nothing that kd does is undone). */
  readonly signal: AbortSignal;
  /** Shown in the client's row of the running call. */
  readonly progress: (message: string) => void;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What, when, when not, limits. */
  readonly description: string;
  readonly args: Readonly<Record<string, Argument>>;
  readonly required?: readonly string[];
  /** `read` changes nothing and is announced as read-only; `act` may. */
  readonly effect: 'read' | 'act';
  /** It can change or end something for good (a byte of the guest, a session). Default: false. */
  readonly destructive?: boolean;
  /** A second call with the same arguments changes nothing more. Default: false. */
  readonly idempotent?: boolean;
  /** `false`: runs even when the configuration is broken, because looking and freeing a guest must always work. */
  readonly needsConfig?: false;
  /** The text of the reply. Throw {@link ToolError} for an error result. */
  readonly run: (args: Arguments, context: ToolContext) => Promise<string>;
}

/** An error for the model: what happened, in the debugger's words where it has some, and the next call to make. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
