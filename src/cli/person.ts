/** Sessions as a person at a terminal uses them. */
import { userInfo } from 'node:os';
import type { Sessions } from '../client/sessions.ts';
import type { ClientIdentity } from '../host/protocol.ts';
import { openSessions, readSetup } from './context.ts';
import type { GlobalOptions } from './program.ts';

/** Who the person is to everybody else. */
export function personIdentity(): ClientIdentity {
  return { kind: 'person', name: `${userName()} (terminal)` };
}

export function openPerson(options: GlobalOptions): Sessions {
  return openSessions(readSetup(options), personIdentity());
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as in some containers.
    return 'person';
  }
}
