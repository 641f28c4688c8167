/**
 * Why the target stopped, who asked for it, and which break requests kd still owes (kd-behaviour.md §5.3).
 *
 * Counts requests and stops; knows nothing of pipes.
 */
import type { ConsoleEvent } from './events.ts';
import type { Actor, Halt, HaltCause, LastEvent, TargetEvent } from './model.ts';
import { lastEvent } from './status-board.ts';
import { evidenceOf, type StopEvidence } from './target.ts';

/** A box stop this soon after `g` is the echo of an earlier break request. */
const OWED_MS = 1_000;

export class Stops {
  #evidence: StopEvidence | undefined;
  /** Break requests sent since the last stop. */
  #sent = 0;
  /** Requests that a stop left over. */
  #owed = 0;
  #breakBy: Actor | undefined;
  #stepBy: Actor | undefined;
  #wentAt = 0;
  /** It was resumed by a plain `g`, which can be said again. */
  #plain = false;

  /** When the target was last resumed, ms since the epoch. */
  get wentAt(): number {
    return this.#wentAt;
  }

  get owed(): number {
    return this.#owed;
  }

  get hasEvidence(): boolean {
    return this.#evidence !== undefined;
  }

  breakWanted(by: Actor): void {
    this.#breakBy = by;
  }

  breakSent(): void {
    this.#sent++;
  }

  /** The target is about to run; `plain`: by `g` and nothing else; `stepBy` when it is a step. */
  resumed(plain: boolean, stepBy?: Actor): void {
    this.#evidence = undefined;
    this.#wentAt = Date.now();
    this.#plain = plain;
    this.#stepBy = stepBy;
  }

  /** A command ended and the target did not run: requests sent meanwhile interrupted it, or were dropped. */
  stayed(): void {
    this.#sent = 0;
    this.#breakBy = undefined;
  }

  /** Another line of output, while the target runs or is about to. */
  saw(event: ConsoleEvent, line: string): void {
    if (event.kind === 'break-in-location' && this.#stepBy !== undefined) return;
    this.#evidence = evidenceOf(this.#evidence, event, line);
  }

  /** The target is gone, and with it every request. */
  lost(): void {
    this.#evidence = undefined;
    this.#owed = 0;
    this.#sent = 0;
    this.#stepBy = undefined;
  }

  /**
   * The stop that just came is one nobody asked for now: a request that kd had kept. Forgets it. After anything but a
   * plain `g` it is a stop like others: `g` would let a step or a `gu` run away.
   */
  takeEcho(): boolean {
    const echo =
      this.#owed > 0 &&
      this.#plain &&
      this.#sent === 0 &&
      this.#evidence?.event.kind === 'break-in' &&
      Date.now() - this.#wentAt < OWED_MS;
    if (echo) this.forgetOwed();
    return echo;
  }

  forgetOwed(): void {
    this.#owed = 0;
    this.#evidence = undefined;
  }

  /** The stop that just came. Begins to count anew. */
  stopped(): Halt {
    const event = this.#explain();
    const cause = this.#causeOf(event);
    this.#owed = event.kind === 'break-in' ? Math.max(0, this.#sent - 1) : this.#sent;
    this.#sent = 0;
    this.#breakBy = undefined;
    this.#stepBy = undefined;
    this.#evidence = undefined;
    return { since: event.at, cause, event };
  }

  #explain(): LastEvent {
    const silent: TargetEvent = { kind: this.#stepBy === undefined ? 'stop' : 'step' };
    const evidence = this.#evidence ?? { event: silent, text: '' };
    return lastEvent(evidence.event, evidence.text);
  }

  #causeOf(event: LastEvent): HaltCause {
    switch (event.kind) {
      case 'break-in':
        return this.#breakBy ?? { kind: 'unknown' };
      case 'step':
        return this.#stepBy ?? { kind: 'target' };
      default:
        return { kind: 'target' };
    }
  }
}
