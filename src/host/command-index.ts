/**
 * `commands.jsonl` beside a transcript: who sent what, what it does, whether it was let through, where its output is, how
 * it ended. One line per command, those that were refused too.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Actor, CommandOutcome } from '../kd/model.ts';
import type { Effect } from '../policy/effects.ts';
import type { Disposable } from './disposable.ts';

export interface IndexedCommand {
  /** 0: it was refused and never had a number. */
  readonly seq: number;
  readonly text: string;
  readonly by: Actor;
  /** What it does. Older indexes do not tell this and the next. */
  readonly effects?: readonly Effect[];
  readonly verdict?: 'allowed' | 'refused';
  /** Its output in the transcript: byte offsets [from, to). */
  readonly from: number;
  readonly to: number;
  readonly outcome: CommandOutcome | 'refused';
  /** What kd had against it, or why it was refused. */
  readonly error?: string;
  /** When it was sent, ms since the epoch, and how long it took. */
  readonly at: number;
  readonly durationMs: number;
}

/** The file, made with the first command and kept open: a quick command costs one write. */
export class CommandIndex implements Disposable {
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  append(command: IndexedCommand): void {
    this.#file ??= openSync(this.#path, 'a', 0o600);
    writeSync(this.#file, `${JSON.stringify(command)}\n`);
  }

  dispose(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
