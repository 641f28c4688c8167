/** Which sessions that are over may have left a frozen guest behind, and may it be resumed without asking? */
import { mayBeFrozen } from '../host/forsaken.ts';
import type { SessionRecord } from '../host/protocol.ts';
import { isForTarget } from '../host/record-target.ts';
import type { Connection } from '../kd/connection.ts';
import { keyProblem } from '../kd/kdnet-key.ts';
import { structured } from '../kd/kernel-string.ts';
import { readStateFile } from '../state-file/read.ts';
import type { Sessions } from './sessions.ts';

/** A guest that is frozen as far as anybody knows, with nobody who debugs it. */
export interface Rescuable {
  readonly record: SessionRecord;
  /** What reaches the guest again; undefined when the key is missing. */
  readonly connection: Connection | undefined;
  /** Why a person has to decide; undefined when the guest may be resumed without asking. */
  readonly ask: string | undefined;
  /** The key is all that is missing. */
  readonly onlyKey: boolean;
}

export const MISSING_KEY =
  'Its key is not known any more: name the key, or let WinRM-MCP write the state file again.';

/** Sessions whose end left a guest frozen, the newest first. One for each target: its last session counts. */
export async function findRescuable(sessions: Sessions, key?: string): Promise<readonly Rescuable[]> {
  const live = await sessions.list();
  const over = await sessions.ended();
  const frozen = over.filter(
    (record, index) => mayBeFrozen(record) && !isSuperseded(record, live, over.slice(0, index)),
  );
  return Promise.all(frozen.map((record) => assess(record, key)));
}

/** Live sessions that took over a target whose last session left it frozen: what becomes of it is their matter. */
export async function takenOver(sessions: Sessions): Promise<readonly SessionRecord[]> {
  const left = (await sessions.ended()).filter(mayBeFrozen);
  const isAfter = (live: SessionRecord, { startedAt, connection }: SessionRecord): boolean => {
    const recorded: unknown = connection;
    return live.startedAt > startedAt && isForTarget(live, recorded as Connection);
  };
  return (await sessions.list()).filter((live) => left.some((record) => isAfter(live, record)));
}

/** A later session for the same target has taken care of it, or takes care now. One that never met it has not. */
function isSuperseded(
  record: SessionRecord,
  live: readonly SessionRecord[],
  newer: readonly SessionRecord[],
): boolean {
  const recorded: unknown = record.connection;
  const met = newer.filter((other) => other.ended?.guest !== 'none');
  return [...live, ...met].some(
    (other) => other.startedAt > record.startedAt && isForTarget(other, recorded as Connection),
  );
}

async function assess(record: SessionRecord, key: string | undefined): Promise<Rescuable> {
  const connection = await reconnection(record, key);
  const wanted = reasonToAsk(record);
  const onlyKey = wanted === undefined && connection === undefined;
  return { record, connection, ask: wanted ?? (onlyKey ? MISSING_KEY : undefined), onlyKey };
}

/** Who would miss the halt. */
function reasonToAsk(record: SessionRecord): string | undefined {
  const { halt } = record;
  if (halt?.event.kind === 'bugcheck') {
    return 'It crashed (bugcheck): letting it run loses the crash. Save a dump first, or say that it may go.';
  }
  if (record.pinned) return 'A person pinned this halt.';
  if (halt?.cause.kind === 'person') return `${halt.cause.name} halted it.`;
  return undefined;
}

/** The connection again: all of it is in the record but the key. */
async function reconnection(record: SessionRecord, key: string | undefined): Promise<Connection | undefined> {
  const recorded: unknown = record.connection;
  const connection = structured(recorded as Connection);
  switch (connection.transport) {
    case 'net': {
      const found = key ?? (await keyFromStateFile(record, connection.port));
      return found === undefined || keyProblem(found) !== undefined
        ? undefined
        : { ...connection, key: found };
    }
    // Their texts may have held a password.
    case 'remote':
    case 'raw':
      return undefined;
    default:
      return connection;
  }
}

async function keyFromStateFile(record: SessionRecord, port: number): Promise<string | undefined> {
  if (record.stateFile === undefined) return undefined;
  try {
    const state = await readStateFile(record.stateFile);
    return state.port === port ? state.key : undefined;
  } catch {
    // Gone, or about another guest by now: then a person knows the key.
    return undefined;
  }
}
