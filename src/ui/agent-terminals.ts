/** Opens the terminal of a session that an agent started, so that a person can watch; the focus stays where it is. */
import type { Session } from '../client/sessions.ts';
import type { LiveSessions } from './live-sessions.ts';

export class AgentTerminals {
  readonly #known = new Set<string>();
  readonly #listening: { dispose(): void };

  constructor(sessions: LiveSessions, wanted: () => boolean, show: (session: Session) => void) {
    // Those that are there when the window opens are none of its news.
    let started = false;
    this.#listening = sessions.onChange(() => {
      for (const each of sessions.all) {
        if (each.kind !== 'joined') continue;
        const key = `${each.id} ${each.info.startedAt}`;
        if (this.#known.has(key)) continue;
        this.#known.add(key);
        if (started && each.info.startedBy.kind === 'agent' && wanted()) show(each.session);
      }
      started ||= sessions.looked;
    });
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
