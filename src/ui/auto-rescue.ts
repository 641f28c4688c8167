/**
 * Frees guests that a dead session left frozen, where nobody needs to be asked (design.md §3: whoever finds such a
 * record). What needs a person stays in the list of ended sessions. No VS Code in here.
 */
import { mayBeFrozen } from '../host/forsaken.ts';
import type { Backstage, FrozenGuest } from './backstage.ts';
import { endedKey } from './ended-sessions.ts';
import type { LiveSessions } from './live-sessions.ts';

export interface AutoRescueOptions {
  readonly sessions: LiveSessions;
  readonly backstage: () => Promise<Pick<Backstage, 'frozenGuests' | 'rescue'>>;
  /** The key of a KDNET port that was typed once. */
  readonly keptKey: (port: number) => PromiseLike<string | undefined>;
  /** This guest runs again. */
  readonly tell: (id: string) => void;
  readonly onProblem: (problem: string) => void;
}

export class AutoRescue {
  readonly #options: AutoRescueOptions;
  /** Ended sessions that were tried: once each, a person can do it again. */
  readonly #tried = new Set<string>();
  readonly #listening: { dispose(): void };
  #work: Promise<void> = Promise.resolve();
  #disposed = false;

  constructor(options: AutoRescueOptions) {
    this.#options = options;
    this.#listening = options.sessions.onChange(() => this.#look());
  }

  /** Settles when no rescue is under way. */
  get idle(): Promise<void> {
    return this.#work;
  }

  #look(): void {
    const fresh = this.#options.sessions.ended.filter(
      (record) => mayBeFrozen(record) && !this.#tried.has(endedKey(record)),
    );
    if (fresh.length === 0) return;
    for (const record of fresh) this.#tried.add(endedKey(record));
    const ids = new Set(fresh.map(({ id }) => id));
    this.#work = this.#work
      .then(() => this.#rescue(ids))
      .catch((error: unknown) =>
        this.#options.onProblem(error instanceof Error ? error.message : String(error)),
      );
  }

  async #rescue(ids: ReadonlySet<string>): Promise<void> {
    const { sessions, keptKey, tell, onProblem } = this.#options;
    const backstage = await this.#options.backstage();
    for (const guest of await backstage.frozenGuests()) {
      if (this.#disposed) return;
      if (!ids.has(guest.id) || !isFree(guest)) continue;
      const key = guest.onlyKey && guest.port !== undefined ? await keptKey(guest.port) : undefined;
      if (guest.onlyKey && key === undefined) continue;
      const { outcome, detail } = await backstage.rescue(guest.id, key);
      if (outcome === 'resumed') tell(guest.id);
      else onProblem(detail);
      await sessions.refreshAll();
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#listening.dispose();
  }
}

/** Nobody has to say that it may run. */
function isFree(guest: FrozenGuest): boolean {
  return guest.ask === undefined || guest.onlyKey === true;
}
