/** Ids: taken by creating the record, `-2` on a clash, and never a second session for the same target. */
import { sessionId, sessionIdCandidate } from '../kd/session-id.ts';
import { sessionFiles } from './home.ts';
import type { HostStart, SessionRecord } from './protocol.ts';
import { isForTarget } from './record-target.ts';
import { claimRecord, isHostAlive, liveRecord, liveRecords, reapRecord } from './records.ts';

const MOST_OF_A_NAME = 99;

export type TakenId =
  | { readonly existing: true; readonly id: string }
  | { readonly existing: false; readonly id: string; readonly record: SessionRecord };

/** Takes the wanted id or the next free one. @throws when all of them are taken. */
export function takeId(start: HostStart, draft: SessionRecord): TakenId {
  const isSame = (record: SessionRecord): boolean => isForTarget(record, start.connection);
  const running = liveRecords(start.home).find((record) => isSame(record) && isHostAlive(record));
  if (running !== undefined) return { existing: true, id: running.id };
  for (let number = 1; number <= MOST_OF_A_NAME; ) {
    const id = candidate(start, number);
    const record: SessionRecord = {
      ...draft,
      id,
      transcript: sessionFiles(start.home, id, draft.startedAt).transcript,
    };
    if (claimRecord(start.home, record)) return { existing: false, id, record };
    const holder = liveRecord(start.home, id);
    if (holder !== undefined && isSame(holder) && isHostAlive(holder)) return { existing: true, id };
    // Its host is gone: the id is free then.
    if (holder !== undefined && !isHostAlive(holder)) reapRecord(start.home, holder, Date.now());
    else number++;
  }
  throw new Error(
    `All session ids from ${start.id} to ${start.id}-${MOST_OF_A_NAME} are taken. Stop a session.`,
  );
}

function candidate(start: HostStart, number: number): string {
  if (start.id === sessionId(start.connection)) return sessionIdCandidate(start.connection, number);
  return number === 1 ? start.id : `${start.id}-${number}`;
}
