/**
 * Frees guests that a dead session left frozen, in the background, where nobody needs to be asked (design.md §3: whoever
 * finds such a record). What needs a person is left to `kd-mcp rescue`.
 */
import { type RescueReport, rescue } from '../client/rescue.ts';
import type { Sessions } from '../client/sessions.ts';

/** A guest offers itself every 3 s; this is not for one that boots. */
const HEARD_MS = 10_000;

export class Rescuer {
  readonly #sessions: Sessions;
  readonly #rescue: typeof rescue;
  readonly #reports = new Map<string, string>();
  #work: Promise<void> = Promise.resolve();

  constructor(sessions: Sessions, how: typeof rescue = rescue) {
    this.#sessions = sessions;
    this.#rescue = how;
  }

  /** Looks for frozen guests and frees them, after what is going on already. Never rejects. */
  look(): void {
    this.#work = this.#work.then(async () => {
      try {
        const reports = await this.#rescue(this.#sessions, { timeoutMs: HEARD_MS });
        for (const report of reports) this.#note(report);
      } catch {
        // Whatever hindered it, health_check shows the guest that is still frozen.
      }
    });
  }

  /** Settles when no rescue is under way: a start must not join a session that is about to end. */
  get idle(): Promise<void> {
    return this.#work;
  }

  /** What was done or has to be, a sentence for each guest. */
  get reports(): readonly string[] {
    return [...this.#reports.values()];
  }

  #note({ id, outcome, detail }: RescueReport): void {
    const advice =
      outcome === 'resumed' || outcome === 'was-running' ? '' : ` A person can run: kd-mcp rescue ${id}`;
    this.#reports.set(id, `rescue: ${detail}${advice}`);
  }
}
