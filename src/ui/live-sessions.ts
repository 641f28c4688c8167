/**
 * The sessions of this computer as this window sees them: joined, kept up to date, found again.
 * No VS Code in here, so that tests need none.
 */
import type { Session, Sessions } from '../client/sessions.ts';
import type { SessionInfo, SessionRecord } from '../host/protocol.ts';

/** A session that could not be joined is shown all the same, with the reason. */
export type LiveSession =
  | { readonly kind: 'joined'; readonly id: string; readonly session: Session; readonly info: SessionInfo }
  | { readonly kind: 'apart'; readonly id: string; readonly record: SessionRecord; readonly problem: string };

interface Joined {
  readonly session: Session;
  readonly disposables: readonly { dispose(): void }[];
}

type Listener = () => void;

/** So many ended sessions are looked at; the folder keeps more. */
const ENDED = 10;
/** A session that did not answer is looked at again: its process may just be ending, and no file says so. */
const AGAIN_MS = 1000;

export class LiveSessions {
  readonly #sessions: Sessions;
  readonly #onProblem: (error: unknown) => void;
  readonly #joined = new Map<string, Joined>();
  readonly #apart = new Map<string, { readonly record: SessionRecord; readonly problem: string }>();
  readonly #listeners = new Set<Listener>();
  readonly #watch: { dispose(): void };
  #refreshing: Promise<void> | undefined;
  #again = false;
  #disposed = false;
  #retry: NodeJS.Timeout | undefined;
  #current: string | undefined;
  #ended: readonly SessionRecord[] = [];
  /** Ids at the last look: the ended ones are read again only when a session went. */
  #ids: string | undefined;

  constructor(sessions: Sessions, onProblem: (error: unknown) => void) {
    this.#sessions = sessions;
    this.#onProblem = onProblem;
    this.#watch = sessions.watch(() => void this.refresh());
  }

  /** Sorted by id. */
  get all(): readonly LiveSession[] {
    const all: LiveSession[] = [];
    for (const [id, { session }] of this.#joined)
      all.push({ kind: 'joined', id, session, info: session.info });
    for (const [id, { record, problem }] of this.#apart) all.push({ kind: 'apart', id, record, problem });
    return all.sort((one, other) => one.id.localeCompare(other.id));
  }

  /** The records were read at least once. */
  get looked(): boolean {
    return this.#ids !== undefined;
  }

  /** Sessions that are over, newest first. */
  get ended(): readonly SessionRecord[] {
    return this.#ended;
  }

  /** The session that the status bar and commands without a choice mean: the one last used, or the only one. */
  get current(): Session | undefined {
    const chosen = this.#current === undefined ? undefined : this.#joined.get(this.#current);
    if (chosen !== undefined) return chosen.session;
    const live = [...this.#joined.values()].map(({ session }) => session);
    return live.find((session) => session.info.status.halt !== undefined) ?? live[0];
  }

  /** Makes a session the current one: its terminal was focused, a command named it. */
  use(id: string): void {
    if (this.#current === id) return;
    this.#current = id;
    this.#tell();
  }

  find(id: string): Session | undefined {
    return this.#joined.get(id)?.session;
  }

  onChange(listener: Listener): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** The session of that id, which somebody has just started; it becomes the current one. */
  async join(id: string): Promise<Session> {
    if (this.find(id) === undefined) this.#keep(await this.#sessions.open(id));
    this.use(id);
    const session = this.find(id);
    if (session === undefined) throw new Error(`Session ${id} has ended.`);
    return session;
  }

  /** Looks at the records again. Calls that come meanwhile are one more look. Never rejects. */
  refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#again = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#look().finally(() => {
      this.#refreshing = undefined;
      if (this.#again && !this.#disposed) {
        this.#again = false;
        void this.refresh();
      }
    });
    return this.#refreshing;
  }

  async #look(): Promise<void> {
    try {
      const records = await this.#sessions.list();
      const ids = new Set(records.map((record) => record.id));
      for (const id of [...this.#apart.keys()]) if (!ids.has(id)) this.#apart.delete(id);
      for (const record of records) {
        if (this.#disposed) return;
        if (this.#joined.has(record.id)) continue;
        await this.#join(record);
      }
      await this.#lookAtEnded(records);
      clearTimeout(this.#retry);
      if (this.#apart.size > 0 && !this.#disposed)
        this.#retry = setTimeout(() => void this.refresh(), AGAIN_MS);
      this.#tell();
    } catch (error) {
      this.#onProblem(error);
    }
  }

  async #lookAtEnded(live: readonly SessionRecord[]): Promise<void> {
    const ids = live.map(({ id, startedAt }) => `${id} ${startedAt}`).join();
    if (ids === this.#ids) return;
    this.#ids = ids;
    this.#ended = await this.#sessions.ended(ENDED);
  }

  /** Reads the ended ones again, too: something happened to one of them, as a rescue. */
  refreshAll(): Promise<void> {
    this.#ids = undefined;
    return this.refresh();
  }

  async #join(record: SessionRecord): Promise<void> {
    try {
      this.#keep(await this.#sessions.open(record.id));
      this.#apart.delete(record.id);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const told = this.#apart.get(record.id)?.problem === problem;
      this.#apart.set(record.id, { record, problem });
      if (!told) this.#onProblem(error);
    }
  }

  /** Takes a connection in; a second one to the same session is closed. */
  #keep(session: Session): Session {
    const before = this.#joined.get(session.id);
    if (before?.session.connected) {
      if (before.session !== session) session.dispose();
      return before.session;
    }
    if (this.#disposed) {
      session.dispose();
      return session;
    }
    this.#joined.set(session.id, {
      session,
      disposables: [session.onChange(() => this.#tell()), session.onClose(() => this.#drop(session))],
    });
    this.#apart.delete(session.id);
    this.#tell();
    return session;
  }

  #drop(session: Session): void {
    const joined = this.#joined.get(session.id);
    if (joined?.session !== session) return;
    this.#joined.delete(session.id);
    for (const disposable of joined.disposables) disposable.dispose();
    session.dispose();
    this.#tell();
    // The record tells whether the session is over or only this connection.
    if (!this.#disposed) void this.refresh();
  }

  #tell(): void {
    if (this.#disposed) return;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Leaves all sessions; they go on. */
  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#retry);
    this.#watch.dispose();
    for (const { session, disposables } of this.#joined.values()) {
      for (const disposable of disposables) disposable.dispose();
      session.dispose();
    }
    this.#joined.clear();
    this.#sessions.dispose();
  }
}
