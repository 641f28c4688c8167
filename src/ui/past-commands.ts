/** Follows the last commands of the joined sessions, for the tree. No VS Code in here. */
import { type PastCommand, type RecentCommands, readRecentCommands } from '../client/recent-commands.ts';
import type { LiveSessions } from './live-sessions.ts';

/** So many are shown. */
const COUNT = 5;
/** A quick command changes no state that would be told: the index is looked at. */
const LOOK_MS = 1000;

export class PastCommands {
  readonly #sessions: LiveSessions;
  readonly #onChange: () => void;
  readonly #known = new Map<string, RecentCommands>();
  readonly #timer: NodeJS.Timeout;
  #looking = false;

  constructor(sessions: LiveSessions, onChange: () => void) {
    this.#sessions = sessions;
    this.#onChange = onChange;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  /** The newest first. */
  of(id: string): readonly PastCommand[] {
    return this.#known.get(id)?.commands ?? [];
  }

  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    let changed = false;
    for (const session of this.#sessions.all) {
      if (session.kind !== 'joined') continue;
      const { id, info } = session;
      const before = this.#known.get(id);
      const after = await readRecentCommands(info.transcriptPath, COUNT, before);
      this.#known.set(id, after);
      changed ||= after.size !== (before?.size ?? 0);
    }
    this.#looking = false;
    const live = new Set(this.#sessions.all.map(({ id }) => id));
    for (const id of [...this.#known.keys()]) if (!live.has(id)) this.#known.delete(id);
    if (changed) this.#onChange();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }
}
