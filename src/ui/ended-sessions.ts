/** Sessions that are over, until the person dismisses them. No VS Code in here. */
import type { SessionRecord } from '../host/protocol.ts';

/** Where dismissals are kept over windows; the shape of VS Code's Memento. */
export interface Memory {
  get<T>(key: string, fallback: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

const DISMISSED = 'kdMcp.dismissed';
/** More records than this are never looked at. */
const REMEMBERED = 100;

/** An id is used again: the start tells two sessions apart. */
export const endedKey = ({ id, startedAt }: Pick<SessionRecord, 'id' | 'startedAt'>): string =>
  `${id}.${startedAt}`;

export class EndedSessions {
  readonly #records: () => readonly SessionRecord[];
  readonly #memory: Memory;
  readonly #listeners = new Set<() => void>();

  constructor(records: () => readonly SessionRecord[], memory: Memory) {
    this.#records = records;
    this.#memory = memory;
  }

  /** Newest first. */
  get all(): readonly SessionRecord[] {
    const dismissed = this.#dismissed();
    return this.#records().filter((record) => !dismissed.includes(endedKey(record)));
  }

  find(key: string): SessionRecord | undefined {
    return this.#records().find((record) => endedKey(record) === key);
  }

  /** Takes one off the list, or all of them. */
  async dismiss(key?: string): Promise<void> {
    const keys = key === undefined ? this.all.map(endedKey) : [key];
    const before = this.#dismissed().filter((each) => !keys.includes(each));
    await this.#memory.update(DISMISSED, [...keys, ...before].slice(0, REMEMBERED));
    for (const listener of [...this.#listeners]) listener();
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #dismissed(): readonly string[] {
    return this.#memory.get<readonly string[]>(DISMISSED, []);
  }
}
