/** What a new or rewritten state file means for the sessions there are. No VS Code in here, so that tests need none. */
import type { Session } from '../client/sessions.ts';
import type { LiveSession } from './live-sessions.ts';

/** What the listener of the state file is told of it. Not the key: only whether a session was started with it. */
export interface StateFileSeen {
  readonly guestHost: string;
  readonly port: number;
  /** Undefined when the session cannot tell. */
  readonly isKeyOf: (session: Session) => Promise<boolean | undefined>;
}

export type StateFileNews =
  /** Nobody debugs that guest yet. */
  | { readonly kind: 'new' }
  /** It is what a session runs with. */
  | { readonly kind: 'known'; readonly id: string }
  /** A session waits for the guest with a key that the guest does not have any more. */
  | { readonly kind: 'other-key'; readonly session: Session }
  /** A session for that guest listens on a port that the guest does not call any more. */
  | { readonly kind: 'other-port'; readonly id: string };

/** A session that lives is never acted upon for it: a person decides. */
export async function stateFileNews(
  { guestHost, port, isKeyOf }: StateFileSeen,
  live: readonly LiveSession[],
): Promise<StateFileNews> {
  const onPort = live.find(({ id }) => new RegExp(`^net-${port}(-\\d+)?$`).test(id));
  if (onPort !== undefined) {
    const isOther = onPort.kind === 'joined' && (await isKeyOf(onPort.session)) === false;
    return isOther ? { kind: 'other-key', session: onPort.session } : { kind: 'known', id: onPort.id };
  }
  const ofGuest = live.find((one) => {
    const { guestHost: host, transport } = one.kind === 'joined' ? one.info : one.record;
    return transport === 'net' && host === guestHost;
  });
  return ofGuest === undefined ? { kind: 'new' } : { kind: 'other-port', id: ofGuest.id };
}
