/** `commands.jsonl` beside a transcript: who ran what, where its output is, how it ended. One line per command. */
import { appendFileSync } from 'node:fs';
import type { Actor, CommandOutcome } from '../kd/model.ts';

export interface IndexedCommand {
  readonly seq: number;
  readonly text: string;
  readonly by: Actor;
  /** Its output in the transcript: byte offsets [from, to). */
  readonly from: number;
  readonly to: number;
  readonly outcome: CommandOutcome;
  readonly error?: string;
  /** When it was sent, ms since the epoch, and how long it took. */
  readonly at: number;
  readonly durationMs: number;
}

export function appendCommand(path: string, command: IndexedCommand): void {
  appendFileSync(path, `${JSON.stringify(command)}\n`, { mode: 0o600 });
}
