/** What a record says about its target. */
import type { Connection } from '../kd/connection.ts';
import { sameTarget } from '../kd/session-id.ts';
import type { SessionRecord } from './protocol.ts';

/** Can this record's session and one with this connection not live at the same time? */
export function isForTarget(record: SessionRecord, connection: Connection): boolean {
  const recorded: unknown = record.connection;
  try {
    return sameTarget(recorded as Connection, connection);
  } catch {
    // The record of another version, with a shape that is not known here.
    return false;
  }
}
