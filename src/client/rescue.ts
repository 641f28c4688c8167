/**
 * Frees guests whose session died while they were halted: a fresh kd, which gets the stop at once (engine.md §6), lets
 * the guest run and ends.
 */
import type { SessionRecord } from '../host/protocol.ts';
import { amendEnded } from '../host/records.ts';
import { HALTED_STATES } from '../kd/model.ts';
import { findRescuable, MISSING_KEY, type Rescuable } from './rescuable.ts';
import { type Session, SessionError, type Sessions } from './sessions.ts';

export { findRescuable, type Rescuable } from './rescuable.ts';

export interface RescueReport {
  readonly id: string;
  /**
   * - `resumed`    it was frozen and runs now.
   * - `was-running` it answered and was not frozen.
   * - `ask`        a person has to decide or to name the key; `detail` says why.
   * - `no-answer`  nothing was heard of it: off, restarted without debugging, or another network.
   * - `failed`     no session could be started.
   */
  readonly outcome: 'resumed' | 'was-running' | 'ask' | 'no-answer' | 'failed';
  /** One sentence for the user. */
  readonly detail: string;
}

export interface RescueOptions {
  /** Rescue this ended session's guest: a person's word, so that nothing is asked. Default: all that need no asking. */
  readonly id?: string;
  readonly key?: string;
  /** How long the guest may take to be heard of, ms: KDNET offers itself every 3 s (kd-behaviour.md §2.1). */
  readonly timeoutMs?: number;
}

const HEARD_MS = 30_000;
/** A frozen guest shows its stop as soon as the link is up; one that runs shows nothing. */
const STOP_AFTER_LINK_MS = 5_000;

/** @throws SessionError when the session that was named needs no rescue. */
export async function rescue(
  sessions: Sessions,
  options: RescueOptions = {},
): Promise<readonly RescueReport[]> {
  const found = await findRescuable(sessions, options.key);
  const wanted =
    options.id === undefined ? found : found.filter(({ record }) => record.id === options.id).slice(0, 1);
  if (options.id !== undefined && wanted.length === 0) {
    const others = found.map(({ record }) => record.id).join(', ');
    throw new SessionError(
      `No guest of an ended session "${options.id}" is known to be frozen. ${others === '' ? 'None needs a rescue.' : `These do: ${others}.`}`,
    );
  }
  const reports: RescueReport[] = [];
  for (const one of wanted) reports.push(await rescueOne(sessions, one, options));
  return reports;
}

async function rescueOne(sessions: Sessions, one: Rescuable, options: RescueOptions): Promise<RescueReport> {
  const { record, connection, ask } = one;
  const { id } = record;
  const why = options.id === undefined ? ask : connection === undefined ? MISSING_KEY : undefined;
  if (connection === undefined || why !== undefined) {
    return { id, outcome: 'ask', detail: `The guest of session ${id} may be frozen. ${why ?? MISSING_KEY}` };
  }
  const [program, ...leading] = record.kd;
  if (program === undefined) return { id, outcome: 'failed', detail: 'The record names no debugger.' };
  try {
    const { session, existing } = await sessions.start({
      connection,
      id,
      kd: [program, ...leading],
      rescues: true,
      ...(record.guestHost === undefined ? {} : { guestHost: record.guestHost }),
      ...(record.stateFile === undefined ? {} : { stateFile: record.stateFile }),
    });
    if (existing) {
      session.dispose();
      return {
        id,
        outcome: 'was-running',
        detail: `Session ${session.id} debugs that guest now: see its state there.`,
      };
    }
    try {
      return await resume(sessions, session, record, options.timeoutMs ?? HEARD_MS);
    } finally {
      session.dispose();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { id, outcome: 'failed', detail: `The guest of session ${id} could not be reached: ${why}` };
  }
}

async function resume(
  sessions: Sessions,
  session: Session,
  record: SessionRecord,
  timeoutMs: number,
): Promise<RescueReport> {
  const { id } = record;
  const seen = await look(session, timeoutMs);
  const { guest, detail } = await session.stop('resume');
  if (seen === 'nothing') {
    return {
      id,
      outcome: 'no-answer',
      detail: `Nothing was heard of the guest of session ${id} in ${Math.round(timeoutMs / 1000)} s: it is off, was restarted without debugging, or cannot reach this machine.`,
    };
  }
  if (guest !== 'running') {
    return {
      id,
      outcome: 'failed',
      detail: `The guest of session ${id} was reached and not resumed: ${detail}.`,
    };
  }
  if (record.ended !== undefined) {
    amendEnded(sessions.home, { ...record, ended: { ...record.ended, rescuedAt: Date.now() } });
  }
  return seen === 'frozen'
    ? { id, outcome: 'resumed', detail: `The guest of session ${id} was frozen and runs again.` }
    : { id, outcome: 'was-running', detail: `The guest of session ${id} was not frozen; it runs.` };
}

/** What the fresh kd gets to see. */
function look(session: Session, timeoutMs: number): Promise<'frozen' | 'running' | 'nothing'> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let linked = false;
    const finish = (seen: 'frozen' | 'running' | 'nothing'): void => {
      clearTimeout(timer);
      changes.dispose();
      closed.dispose();
      resolve(seen);
    };
    const check = (): void => {
      const { status } = session.info;
      if (HALTED_STATES.includes(status.state)) finish('frozen');
      else if (status.state === 'ended' || !session.connected) finish('nothing');
      else if (!linked && (status.linked || status.state === 'running')) {
        linked = true;
        clearTimeout(timer);
        timer = setTimeout(() => finish('running'), STOP_AFTER_LINK_MS);
      }
    };
    const changes = session.onChange(check);
    const closed = session.onClose(check);
    timer = setTimeout(() => finish('nothing'), timeoutMs);
    check();
  });
}
