/**
 * The one record of a session's state, those who wait for a change of it, and those who are told.
 */
import type { LastEvent, Notice, SessionStatus, TargetEvent } from './model.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What may change: a key set to undefined is taken away. */
export type StatusChange = { readonly [K in keyof SessionStatus]?: SessionStatus[K] | undefined };

export class StatusBoard {
  #status: SessionStatus;
  #dirty = false;
  readonly #waiters = new Set<() => void>();
  readonly #onStatus: (status: SessionStatus) => void;

  constructor(initial: SessionStatus, onStatus: (status: SessionStatus) => void) {
    this.#status = initial;
    this.#onStatus = onStatus;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  set(change: StatusChange): void {
    const next = { ...this.#status, ...change } as Mutable<SessionStatus>;
    for (const key of Object.keys(change) as (keyof SessionStatus)[])
      if (next[key] === undefined) delete next[key];
    if (change.state !== undefined && change.state !== this.#status.state && change.since === undefined)
      next.since = Date.now();
    this.#status = next;
    this.#dirty = true;
  }

  /** Adds a notice, or counts it up when it is there already: the first words are the most exact ones. */
  notice(kind: Notice['kind'], text: string): void {
    const earlier = this.#status.notices.find((notice) => notice.kind === kind);
    const notice: Notice = {
      kind,
      text: earlier?.text ?? text,
      at: Date.now(),
      count: (earlier?.count ?? 0) + 1,
    };
    const { notices } = this.#status;
    this.set({
      notices: earlier ? notices.map((other) => (other === earlier ? notice : other)) : [...notices, notice],
    });
  }

  /** Tells about all changes since the last call, and looks whether somebody waited for them. */
  publish(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    for (const check of [...this.#waiters]) check();
    this.#onStatus(this.#status);
  }

  /** True as soon as `condition` holds; false after `ms` or when `signal` aborts. */
  until(condition: (status: SessionStatus) => boolean, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (condition(this.#status)) return Promise.resolve(true);
    if (ms <= 0 || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (result: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        signal?.removeEventListener('abort', abort);
        resolve(result);
      };
      const check = (): void => {
        if (condition(this.#status)) finish(true);
      };
      const abort = (): void => finish(false);
      const timer = setTimeout(abort, ms);
      this.#waiters.add(check);
      signal?.addEventListener('abort', abort);
    });
  }
}

/** `event` as the last event: now, with kd's words for it. */
export function lastEvent(event: TargetEvent, text: string): LastEvent {
  return { ...event, at: Date.now(), text: text.trim() };
}

/** At a prompt, at a question, or gone: nothing more to wait for. */
export function hasStopped({ state }: SessionStatus): boolean {
  return state === 'broken' || state === 'asking' || state === 'ended';
}

/** The guest does not execute. */
export function isHalted({ state }: SessionStatus): boolean {
  return state === 'broken' || state === 'busy' || state === 'asking';
}

export function hasEnded({ state }: SessionStatus): boolean {
  return state === 'ended';
}
