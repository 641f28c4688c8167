/** What a kd command is to the simulator: a generator of output that may pause, ask, let the guest run, or end kd. */
import type { Debugger } from './debugger.ts';

export type Step =
  /** Output. */
  | string
  /** Time passes; `deaf` ignores breaks meanwhile, as `.sleep` does. */
  | { readonly kind: 'pause'; readonly ms: number; readonly deaf?: boolean }
  /** Prints `prompt` and takes the next stdin line as an answer: the value of the `yield`. */
  | { readonly kind: 'ask'; readonly prompt: string }
  /** The guest is needed for what follows: waits while the link is lost, ends here when the guest is gone. */
  | { readonly kind: 'touch' }
  /** The guest runs, or what `act` does to it happens; the rest goes on at its next stop. */
  | { readonly kind: 'resume'; readonly act?: () => void }
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

export interface Command {
  /** Exact words that name it. */
  readonly names: readonly string[];
  /**
   * How much of an input line belongs to it: up to `;` (the default), the rest of the line, or up to
   * the brace that closes it (kd-behaviour.md §7.1).
   */
  readonly extent?: 'statement' | 'line' | 'block';
  /** How it ends when it is interrupted: with `-- User interrupt` instead of a caret line (engine.md §5). */
  readonly dump?: boolean;
  /** Needs the guest to answer. */
  readonly target?: boolean;
  readonly run: (kd: Debugger, call: Invocation) => Execution;
}

/** A command that prints nothing. */
export function quietly(act: (kd: Debugger, call: Invocation) => void): Command['run'] {
  return function* (kd, call) {
    act(kd, call);
    yield '';
  };
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
