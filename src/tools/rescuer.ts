/**
 * Frees guests that a dead session left frozen, in the background, where nobody needs to be asked (design.md §3: whoever
 * finds such a record). What needs a person is left to `kd-mcp rescue`.
 */
import { type RescueReport, rescue } from '../client/rescue.ts';
import type { Session, Sessions } from '../client/sessions.ts';
import type { SessionRecord } from '../host/protocol.ts';

/** A guest offers itself every 3 s; this is not for one that boots. */
const HEARD_MS = 10_000;
const GONE_MS = 5_000;

export class Rescuer {
  readonly #sessions: Sessions;
  readonly #rescue: typeof rescue;
  readonly #reports = new Map<string, string>();
  #work: Promise<void> = Promise.resolve();

  constructor(sessions: Sessions, how: typeof rescue = rescue) {
    this.#sessions = sessions;
    this.#rescue = how;
  }

  /** Looks for frozen guests and frees them, after what is going on already. `lost`: why it looks. Never rejects. */
  look(lost?: Session): void {
    this.#work = this.#work.then(async () => {
      try {
        if (lost !== undefined) await this.#isOver(lost);
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

  /** The connection to a host that is killed closes a moment before its process is gone; until then it counts as alive. */
  async #isOver({ id, info }: Session): Promise<void> {
    const until = Date.now() + GONE_MS;
    const isLive = (record: SessionRecord): boolean =>
      record.id === id && record.startedAt === info.startedAt;
    while ((await this.#sessions.list()).some(isLive) && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, GONE_MS / 100));
  }

  #note({ id, outcome, detail }: RescueReport): void {
    const advice =
      outcome === 'resumed' || outcome === 'was-running' ? '' : ` A person can run: kd-mcp rescue ${id}`;
    this.#reports.set(id, `rescue: ${detail}${advice}`);
  }
}
