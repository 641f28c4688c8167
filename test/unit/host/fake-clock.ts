/** Time that a test moves. */
import type { Clock } from '../../../src/host/clock.ts';

export class FakeClock implements Clock {
  #wall = 1_700_000_000_000;
  #monotonic = 0;
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>();

  wall(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, action: () => void): { dispose(): void } {
    const timer = { at: this.#monotonic + ms, action };
    this.#timers.add(timer);
    return { dispose: () => this.#timers.delete(timer) };
  }

  /** Lets time pass; what comes due happens on the way. */
  pass(ms: number): void {
    const end = this.#monotonic + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#jump(Math.max(0, due.at - this.#monotonic));
      due.action();
    }
    this.#jump(Math.max(0, end - this.#monotonic));
  }

  /** The machine sleeps. `counted`: the monotonic clock goes on, as on Windows; otherwise it stands still, as on Linux. */
  sleep(ms: number, counted: boolean): void {
    this.#wall += ms;
    if (counted) this.#monotonic += ms;
  }

  #jump(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
  }
}
