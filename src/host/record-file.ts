/** One record as a file: read from any version of this program, written whole. */
import { readFileSync } from 'node:fs';
import { isSessionId } from './home.ts';
import type { SessionRecord } from './protocol.ts';

/** Undefined when there is none, or none that is complete. */
export function readRecord(path: string): SessionRecord | undefined {
  try {
    return parseRecord(readFileSync(path, 'utf8'));
  } catch {
    // Gone, or about to be complete: whoever watches looks again.
    return undefined;
  }
}

/** What every protocol number has in common; the rest of an older record may be missing. */
export function parseRecord(text: string): SessionRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { id, protocol, hostPid, socket, token, startedAt } = value;
  const known =
    typeof id === 'string' &&
    isSessionId(id) &&
    typeof protocol === 'number' &&
    typeof hostPid === 'number' &&
    Number.isInteger(hostPid) &&
    hostPid > 0 &&
    typeof socket === 'string' &&
    typeof token === 'string' &&
    typeof startedAt === 'number';
  if (!known) return undefined;
  const complete: unknown = { ...ABSENT, ...value };
  return complete as SessionRecord;
}

const ABSENT = {
  title: '',
  transport: 'raw',
  transcript: '',
  startedBy: { kind: 'person', name: 'unknown' },
  connection: {},
  kd: [],
  state: 'starting',
  pinned: false,
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of the file. */
export function serialize(record: SessionRecord): string {
  return `${JSON.stringify(record, null, 1)}\n`;
}
