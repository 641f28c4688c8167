/** Lets a scenario's events happen at their times. */
import type { Scenario, TimedEvent } from './scenarios.ts';

type Happen = (event: TimedEvent['happening']) => boolean;

export class Timeline {
  readonly #events: readonly TimedEvent[];
  readonly #happen: Happen;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #started = new Set<TimedEvent>();

  /** `happen` returns false when an event cannot happen now, e.g. because the guest is halted. */
  constructor(scenario: Scenario, happen: Happen) {
    this.#events = scenario.events;
    this.#happen = happen;
  }

  /** Starts the clocks of the events that wait for this; each event starts once. */
  begin(after: TimedEvent['after']): void {
    for (const event of this.#events) {
      if (event.after !== after || this.#started.has(event)) continue;
      this.#started.add(event);
      this.#schedule(event, event.ms);
    }
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #schedule(event: TimedEvent, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const happened = this.#happen(event.happening);
      if (event.every !== undefined) this.#schedule(event, event.every);
      // A single event is not lost because the guest was halted: it happens once it runs again.
      else if (!happened) this.#schedule(event, 50);
    }, ms);
    this.#timers.add(timer);
  }
}
