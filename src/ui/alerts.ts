/**
 * What a person must be told even when they look elsewhere, and nothing else: the target stopped by itself, the lease is
 * about to let the guest run, a session was lost. Decides when; `notifications.ts` says it. No VS Code in here.
 */
import type { SessionInfo, SessionRecord } from '../host/protocol.ts';
import type { Halt } from '../kd/model.ts';
import { endedKey } from './ended-sessions.ts';
import type { LiveSessions } from './live-sessions.ts';

/** Told so long before the lease ends. */
const LEASE_NOTICE_MS = 30_000;

export type Alert =
  | { readonly kind: 'stopped'; readonly info: SessionInfo; readonly halt: Halt }
  | { readonly kind: 'lease'; readonly info: SessionInfo; readonly leftMs: number }
  | { readonly kind: 'lost'; readonly record: SessionRecord };

export interface AlertOptions {
  readonly sessions: LiveSessions;
  readonly tell: (alert: Alert) => void;
  /** The person looks at this session's terminal: a stop shows there. */
  readonly isWatched: (id: string) => boolean;
  readonly now?: () => number;
}

/** What was known of a session at the last look. */
interface Seen {
  readonly haltedSince: number | undefined;
  leaseTold: number | undefined;
}

export class Alerts {
  readonly #options: AlertOptions;
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();
  /** Ended sessions that are no news; undefined until the first look. */
  #ended: Set<string> | undefined;
  readonly #disposables: readonly { dispose(): void }[];

  constructor(options: AlertOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const clock = setInterval(() => this.look(), 1000);
    this.#disposables = [
      options.sessions.onChange(() => this.look()),
      { dispose: () => clearInterval(clock) },
    ];
  }

  /** Compares with the last look. What is there at the first one is no news. */
  look(): void {
    const { sessions } = this.#options;
    const live = new Set<string>();
    for (const session of sessions.all) {
      live.add(session.id);
      if (session.kind === 'joined') this.#lookAt(session.info);
    }
    for (const id of [...this.#seen.keys()]) if (!live.has(id)) this.#seen.delete(id);
    this.#lookAtEnded();
  }

  #lookAt(info: SessionInfo): void {
    const { tell, isWatched } = this.#options;
    const { halt } = info.status;
    const before = this.#seen.get(info.id);
    const seen: Seen = { haltedSince: halt?.since, leaseTold: before?.leaseTold };
    this.#seen.set(info.id, seen);
    if (before !== undefined && halt !== undefined && halt.since !== before.haltedSince) {
      if (stoppedByItself(halt) && !isWatched(info.id)) tell({ kind: 'stopped', info, halt });
    }
    if (halt === undefined || info.leaseEndsAt === undefined || seen.leaseTold === halt.since) return;
    const leftMs = info.leaseEndsAt - this.#now();
    if (leftMs > LEASE_NOTICE_MS) return;
    // Once for each halt: whoever works on with it renews the lease.
    seen.leaseTold = halt.since;
    tell({ kind: 'lease', info, leftMs });
  }

  #lookAtEnded(): void {
    const { sessions, tell } = this.#options;
    if (!sessions.looked) return;
    const first = this.#ended === undefined;
    const known = this.#ended ?? new Set<string>();
    this.#ended = new Set(sessions.ended.map(endedKey));
    if (first) return;
    for (const record of sessions.ended) {
      if (known.has(endedKey(record)) || record.ended?.how === 'stopped') continue;
      tell({ kind: 'lost', record });
    }
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

/** Nobody asked for this stop just now: a breakpoint of a person, a crash, or something the target did. */
function stoppedByItself({ cause, event }: Halt): boolean {
  if (event.kind === 'bugcheck') return true;
  switch (cause.kind) {
    case 'target':
    case 'unknown':
      return true;
    case 'person':
      return event.kind === 'breakpoint' || event.kind === 'exception' || event.kind === 'module-load';
    case 'agent':
    case 'host':
      // Its own breakpoint: the agent waits for it.
      return false;
  }
}
