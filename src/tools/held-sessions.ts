/**
 * Sessions whose connections stay open between calls: an agent that is connected is not gone, so that its halts follow
 * the lease and not the shorter rule for sessions nobody is connected to (design.md §3).
 */

import type { Disposable, Session, Sessions, Started, StartOptions } from '../client/sessions.ts';
import type { ClientIdentity, ReadResult, SessionRecord } from '../host/protocol.ts';
import { normalizeSessionId } from '../kd/session-id.ts';

export class HeldSessions implements Sessions {
  readonly #sessions: Sessions;
  readonly #held = new Map<string, Session>();
  readonly #onLost: (session: Session) => void;

  /** `onLost`: a session that was held has gone, by whatever reason. */
  constructor(sessions: Sessions, onLost: (session: Session) => void = () => undefined) {
    this.#sessions = sessions;
    this.#onLost = onLost;
  }

  get home(): string {
    return this.#sessions.home;
  }

  get identity(): ClientIdentity {
    return this.#sessions.identity;
  }

  async open(id?: string): Promise<Session> {
    const wanted = id ?? (await this.#onlyId());
    const held = wanted === undefined ? undefined : this.#held.get(normalizeSessionId(wanted));
    if (held?.connected) return held;
    return this.#hold(await this.#sessions.open(id));
  }

  async start(options: StartOptions): Promise<Started> {
    const started = await this.#sessions.start(options);
    return { ...started, session: this.#hold(started.session) };
  }

  /** Two calls may have opened the same session at the same time: one connection is enough. */
  #hold(session: Session): Session {
    const other = this.#held.get(session.id);
    if (other?.connected && other !== session) {
      session.dispose();
      return other;
    }
    this.#held.set(session.id, session);
    session.onClose(() => {
      if (this.#held.get(session.id) !== session) return;
      this.#held.delete(session.id);
      this.#onLost(session);
    });
    return session;
  }

  async #onlyId(): Promise<string | undefined> {
    const live = await this.#sessions.list();
    return live.length === 1 ? live[0]?.id : undefined;
  }

  list(): Promise<readonly SessionRecord[]> {
    return this.#sessions.list();
  }

  ended(limit?: number): Promise<readonly SessionRecord[]> {
    return this.#sessions.ended(limit);
  }

  readEnded(id: string, options: { from?: number; maxBytes: number; grep?: string }): Promise<ReadResult> {
    return this.#sessions.readEnded(id, options);
  }

  watch(listener: () => void): Disposable {
    return this.#sessions.watch(listener);
  }

  dispose(): void {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const session of held) session.dispose();
    this.#sessions.dispose();
  }
}
