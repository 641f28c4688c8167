/** What a kd command is to the simulator: a generator of output that may pause, ask, let the guest run, or end kd. */
import type { Debugger } from './debugger.ts';

export type Step =
  /** Output. */
  | string
  /** Time passes; `deaf` ignores breaks meanwhile, as `.sleep` does. */
  | { readonly kind: 'pause'; readonly ms: number; readonly deaf?: boolean }
  /** Prints `prompt` and takes the next stdin line as an answer: the value of the `yield`. */
  | { readonly kind: 'ask'; readonly prompt: string }
  /** The guest runs; the rest goes on at its next stop. */
  | { readonly kind: 'resume'; readonly until?: bigint }
  /** kd stops reacting to anything but its end. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'quit'; readonly guest: 'running' | 'frozen' };

export type Execution = Generator<Step, void, string>;

export interface Invocation {
  /** The word that named the command, as typed: `db`, `!process`, `.echo`. */
  readonly name: string;
  /** Everything behind it, with leading blanks: `` @rsp L20``. */
  readonly rest: string;
  /** The whole command as error texts quote it. */
  readonly text: string;
}

export type Run = (kd: Debugger, call: Invocation) => Execution;

/**
 * How much of an input line belongs to a command: up to `;` (the default), the rest of the line, or a block with braces
 * (kd-behaviour.md §7.1).
 */
export type Extent = 'statement' | 'line' | 'block';

export interface Command {
  /** Exact words, without the `.` or `!` only where the form is matched by {@link pattern}. */
  readonly names: readonly string[];
  readonly extent?: Extent;
  /** How an interrupted command ends: dumps with `-- User interrupt`, the rest with a caret line (engine.md §5). */
  readonly dump?: boolean;
  /** Needs the guest to answer; fails when the guest is gone. */
  readonly target?: boolean;
  readonly run: Run;
}

/** A command that failed: the text that kd prints instead of a result, with its line end. */
export class CommandError extends Error {
  readonly shown: string;
  constructor(shown: string) {
    super(shown.trim());
    this.shown = shown;
  }
}

/** `      ^ Syntax error in 'x'`: the caret stands below the column as if prompt and command had been echoed. */
export function caretError(kd: Debugger, column: number, what: string, text: string): CommandError {
  return new CommandError(`${' '.repeat(kd.prompt().length + column)}^ ${what} in '${text}'\n`);
}
