/** Where each command's output is in the transcript; written to the index when it has ended. */
import type { TranscriptPiece } from '../kd/engine.ts';
import type { Actor, CommandOutcome } from '../kd/model.ts';
import type { Effect } from '../policy/effects.ts';
import type { Clock } from './clock.ts';
import { CommandIndex } from './command-index.ts';
import type { Disposable } from './disposable.ts';
import { type Asked, effectsOf, type Judgement } from './permission.ts';
import type { Appended, Transcript } from './transcript.ts';

export interface CommandTrace {
  readonly seq: number;
  readonly text: string;
  readonly by: Actor;
  /** What it does; absent for what no client asked for, such as the `g` of a lease. */
  effects?: readonly Effect[];
  /** When it was sent, ms since the epoch. */
  readonly at: number;
  /** Its output: byte offsets [from, to). */
  from: number;
  to?: number;
}

export class CommandTraces implements Disposable {
  readonly #transcript: Transcript;
  readonly #clock: Clock;
  readonly #index: CommandIndex;
  readonly #redact: (text: string) => string;
  readonly #running = new Map<number, CommandTrace>();
  #outputEnd: number | undefined;

  constructor(transcript: Transcript, clock: Clock, indexPath: string, redact: (text: string) => string) {
    this.#transcript = transcript;
    this.#clock = clock;
    this.#index = new CommandIndex(indexPath);
    this.#redact = redact;
  }

  /** A prompt is the last thing in the transcript. */
  get atPrompt(): boolean {
    return this.#outputEnd !== undefined;
  }

  /** A command that has not ended. */
  get(seq: number): CommandTrace | undefined {
    return this.#running.get(seq);
  }

  appended(piece: TranscriptPiece, { from, to, text }: Appended): void {
    if (piece.kind === 'command') {
      const { seq, by } = piece;
      this.#running.set(seq, { seq, text: piece.text.trimEnd(), by, at: this.#clock.wall(), from: to });
    }
    if (text === '') return;
    this.#outputEnd = piece.kind === 'prompt' ? Math.min(from, this.#outputEnd ?? from) : undefined;
  }

  started(seq: number): void {
    const trace = this.#running.get(seq);
    if (trace !== undefined) trace.from = this.#transcript.end;
  }

  ended(seq: number, outcome: CommandOutcome, error: string | undefined): CommandTrace | undefined {
    const trace = this.#running.get(seq);
    if (trace === undefined) return undefined;
    this.#running.delete(seq);
    // The prompt that ends a command is no output of it.
    const to = Math.max(trace.from, this.#outputEnd ?? this.#transcript.end);
    trace.to = to;
    const { text, by, from, at, effects = effectsOf({ line: text, answer: false }) } = trace;
    this.#index.append({
      seq,
      text,
      by,
      effects,
      verdict: 'allowed',
      from,
      to,
      outcome,
      ...(error === undefined ? {} : { error }),
      at,
      durationMs: this.#clock.wall() - at,
    });
    return trace;
  }

  /** A line that is not sent. */
  refused({ line, by }: Asked, { effects, refusal = '' }: Judgement): void {
    const end = this.#transcript.end;
    this.#index.append({
      seq: 0,
      text: this.#redact(line),
      by,
      effects,
      verdict: 'refused',
      from: end,
      to: end,
      outcome: 'refused',
      error: this.#redact(refusal),
      at: this.#clock.wall(),
      durationMs: 0,
    });
  }

  dispose(): void {
    this.#index.dispose();
  }
}
