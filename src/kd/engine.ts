/**
 * What a session host needs of the thing that owns kd: one kd process, its state, and run control.
 *
 * `session.ts` implements it over a real process; tests of the host may use their own. One caller: the host, which
 * queues. `run` is never called while another `run` has not settled.
 */
import type { Actor, CommandOutcome, KdExit, SessionStatus } from './model.ts';

/** Text for the transcript, in order, decoded, redacted, without markers. */
export type TranscriptPiece =
  | { readonly kind: 'kd'; readonly text: string }
  | { readonly kind: 'prompt'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly text: string;
      readonly by: Actor;
      readonly seq: number;
      /** How it stands in the console, where that is more than `text`: the line of another user. */
      readonly shown?: string;
    }
  /** A remark of the engine itself, one line: `[KD-MCP] the break was swallowed, sent again`. */
  | { readonly kind: 'remark'; readonly text: string };

export interface EngineEvents {
  /** Called synchronously, in order. The host appends to its transcript here and so knows offsets. */
  readonly onTranscript: (piece: TranscriptPiece) => void;
  /** After any change of {@link KdEngine.status}. */
  readonly onStatus: (status: SessionStatus) => void;
  /**
   * A settled command's first/last byte: called right before the first transcript piece that belongs to its output,
   * and right after the last one. Between the two, everything in the transcript is that command's.
   */
  readonly onCommandStart: (seq: number) => void;
  readonly onCommandEnd: (seq: number, outcome: CommandOutcome, error: string | undefined) => void;
  /** Another debugger connected to this kd, or its user sent a command (then the transcript has it too). */
  readonly onOther?: (user: string, did: 'connected' | 'command') => void;
}

export interface RunningCommand {
  readonly seq: number;
  /**
   * Settles when the command is over (or lets the target run, asks for input, loses its target, kd ends).
   * Never rejects, never times out: the host decides how long it looks.
   */
  readonly settled: Promise<{ readonly outcome: CommandOutcome; readonly error?: string }>;
}

/** How a wait for a stop or a run ended. */
export type Confirmation =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: 'timeout' | 'refused' | 'ended' | 'wrong-state';
      readonly text?: string;
    };

export interface KdEngine {
  readonly status: SessionStatus;
  /** Process id of kd; undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Sends one command line. Only in `broken`. @throws Error in another state. */
  run(text: string, by: Actor): RunningCommand;
  /** Sends one line as an answer. Only in `asking`. */
  answer(text: string, by: Actor): RunningCommand;
  /**
   * Break-in ladder (design.md §3): running → stop; busy → interrupt; asking → cancel; waiting → stop at connect.
   * `broken`: resolves at once, nothing is sent. Resolves when confirmed or `timeoutMs` is over.
   */
  breakIn(by: Actor, timeoutMs: number): Promise<Confirmation>;
  /** `g`. Resolves when the target is known to run (or kd refused it). Only in `broken`. */
  go(by: Actor): Promise<Confirmation>;
  /** Resolves with the first stop whose generation is greater than `generation`. */
  waitForStop(generation: number, timeoutMs: number, signal?: AbortSignal): Promise<Confirmation>;
  /**
   * Ends kd. `resume`: break in if needed, clear breakpoints, drain owed breaks, `qd`. `leave_frozen`: `q`.
   * A client of another debugger leaves; `resume` lets a halted target run before. `first` are commands to run at the
   * prompt before that. Kills kd when that does not end it; the exit says which. Never rejects.
   */
  quit(guest: 'resume' | 'leave_frozen', by: Actor, first?: readonly string[]): Promise<KdExit>;
  /** From now on `secret` is taken out of everything that is printed. */
  keepSecret(secret: string): void;
  /** `text` without what is taken out of everything that is printed: for what kd is not sent. */
  redact(text: string): string;
  /** kd has this debugging server (the text behind `.server`): others may connect, and send commands. */
  expectOthers(server: string): void;
  /** Ends the process at once. */
  kill(reason: string): void;
  /** Settles when kd is gone. */
  readonly exited: Promise<KdExit>;
}
