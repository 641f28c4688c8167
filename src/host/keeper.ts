/** Keeps the state of {@link reduceGuest} and says when something is due. The only timer of these rules. */
import type { Clock } from './clock.ts';
import type { Disposable } from './disposable.ts';
import {
  dueDuty,
  type GuestDuty,
  type GuestEvent,
  type GuestRules,
  type GuestState,
  initialGuest,
  leaseEnd,
  nextDuty,
  reduceGuest,
} from './guest.ts';

/** How long the timer sleeps at most, and how late it may be: a longer gap means that the machine slept. */
const LOOK_MS = 15_000;
const SLEPT_MS = 10_000;

export class GuestKeeper implements Disposable {
  readonly #rules: GuestRules;
  readonly #clock: Clock;
  readonly #onDue: (duty: GuestDuty) => void;
  #state: GuestState;
  #timer: Disposable | undefined;
  #lookedAt = { wall: 0, monotonic: 0, delay: 0 };
  #disposed = false;

  constructor(rules: GuestRules, clock: Clock, onDue: (duty: GuestDuty) => void) {
    this.#rules = rules;
    this.#clock = clock;
    this.#onDue = onDue;
    this.#state = initialGuest(clock.monotonic());
  }

  get state(): GuestState {
    return this.#state;
  }

  /** When the lease lets the guest run, ms since the epoch. */
  get leaseEndsAt(): number | undefined {
    const end = leaseEnd(this.#state, this.#rules);
    return end === undefined ? undefined : Math.round(this.#clock.wall() + end - this.#clock.monotonic());
  }

  /** What is due now, if it still is: the world may have changed since {@link GuestKeeper} said so. */
  get due(): GuestDuty | undefined {
    return dueDuty(this.#state, this.#rules, this.#clock.monotonic());
  }

  dispatch(event: GuestEvent): void {
    this.#noticeSleep();
    this.#state = reduceGuest(this.#state, event, this.#clock.monotonic());
    this.#schedule();
  }

  /**
   * A timer that should have looked long ago: the machine slept. One of the two clocks goes on meanwhile; which one is up
   * to the system.
   */
  #noticeSleep(): void {
    if (this.#timer === undefined) return;
    const wall = this.#clock.wall() - this.#lookedAt.wall;
    const monotonic = this.#clock.monotonic() - this.#lookedAt.monotonic;
    if (Math.max(wall, monotonic) < this.#lookedAt.delay + SLEPT_MS) return;
    this.#state = reduceGuest(this.#state, { kind: 'woke' }, this.#clock.monotonic());
  }

  #schedule(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const at = nextDuty(this.#state, this.#rules);
    if (at === undefined || this.#disposed) return;
    const monotonic = this.#clock.monotonic();
    const delay = Math.max(0, Math.min(at - monotonic, LOOK_MS));
    this.#lookedAt = { wall: this.#clock.wall(), monotonic, delay };
    this.#timer = this.#clock.after(delay, () => this.#look());
  }

  #look(): void {
    this.#noticeSleep();
    this.#timer = undefined;
    const duty = this.due;
    if (duty === undefined) this.#schedule();
    else this.#onDue(duty);
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }
}
