/** What is said when a session that was asked for is not there. The next step is a call for an agent, a command for a person. */
import type { ClientIdentity, SessionRecord } from '../host/protocol.ts';
import { SessionError } from './sessions.ts';

/** For so long the session that ended last is the one that is meant by "the" session, ms. */
const JUST_NOW_MS = 600_000;

export interface Asker {
  readonly kind: ClientIdentity['kind'];
  readonly live: readonly SessionRecord[];
  /** The newest first. */
  readonly over: readonly SessionRecord[];
}

/** No id was given, and nothing runs. */
export function noneRuns({ kind, over }: Asker, now: number): SessionError {
  const [last] = over;
  const ended =
    last?.ended !== undefined && now - last.ended.at < JUST_NOW_MS
      ? ` The last, ${last.id}, has ended: ${endOf(last)}`
      : '';
  const next =
    kind === 'person'
      ? 'Start one in VS Code, or let an agent call start_from_state or start_kd.'
      : 'Start one: start_from_state (state file) or start_kd.';
  return new SessionError(`No session is running.${ended} ${next}`);
}

/** No id was given, and several run. */
export function severalRun({ kind, live }: Asker): SessionError {
  return new SessionError(
    `Several sessions are running: ${idsOf(live)}. ${kind === 'person' ? 'Name one.' : 'Name one: session_id.'}`,
  );
}

/** The session with this id does not run. */
export function notRunning(id: string, { kind, live, over }: Asker): SessionError {
  const others = live.length === 0 ? 'No session is running.' : `Running: ${idsOf(live)}.`;
  const ended = over.find((record) => record.id === id);
  if (ended === undefined) {
    const all = kind === 'person' ? 'kd-mcp sessions shows all.' : 'list_sessions shows all.';
    return new SessionError(`There is no session "${id}". ${others} ${all}`);
  }
  const output = kind === 'person' ? `kd-mcp log ${id} --transcript` : `read_output(session_id="${id}")`;
  return new SessionError(
    `Session "${id}" has ended: ${endOf(ended)} Its output is still there: ${output}. ${others}`,
  );
}

function endOf({ ended }: SessionRecord): string {
  if (ended === undefined) return '';
  const reason = ended.reason.replace(/[^.]$/, '$&.');
  const frozen = ended.guest === 'frozen' && ended.rescuedAt === undefined && !/rescue/.test(reason);
  return frozen
    ? `${reason} Its guest may still be frozen: start a session for it and let it run (kd-mcp rescue does that).`
    : reason;
}

function idsOf(records: readonly SessionRecord[]): string {
  return records.map((record) => `${record.id} (${record.state})`).join(', ');
}
