/** One record as a file: read from any version of this program, written whole. */
import { readFileSync } from 'node:fs';
import { LEVELS } from '../config/levels.ts';
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
  const familiar = Object.entries(value).filter(([name, field]) => SHAPES[name]?.(field) !== false);
  const complete: unknown = { ...ABSENT, ...Object.fromEntries(familiar) };
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

/** The rest: a field that another version shaped otherwise is as good as missing. */
const SHAPES: Readonly<Record<string, (field: unknown) => boolean>> = {
  title: isText,
  transport: isText,
  transcript: isText,
  guestHost: isText,
  stateFile: isText,
  work: isText,
  hostStarted: isText,
  kdPid: isNumber,
  startedBy: (field) => isObject(field) && isText(field.kind) && isText(field.name),
  connection: isObject,
  kd: isTexts,
  state: isText,
  halt: (field) => isObject(field) && isNumber(field.since) && isCause(field.cause) && isEvent(field.event),
  unanswered: isNumber,
  breakpoints: isNumber,
  level: (field) => LEVELS.some((level) => level === field),
  sharing: (field) => isObject(field) && Array.isArray(field.attached) && field.attached.every(isNamed),
  pinned: (field) => typeof field === 'boolean',
  ended: (field) => isObject(field) && isNumber(field.at) && isText(field.reason) && isText(field.guest),
};

function isCause(value: unknown): boolean {
  if (!isObject(value)) return false;
  return value.kind === 'agent' || value.kind === 'person' ? isText(value.name) : isText(value.kind);
}

function isEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kind, code, args } = value;
  if (kind === 'bugcheck') return isText(code) && isTexts(args);
  return kind === 'exception' ? isText(code) : isText(kind);
}

function isNamed(value: unknown): boolean {
  return isObject(value) && isText(value.name);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of the file. */
export function serialize(record: SessionRecord): string {
  return `${JSON.stringify(record, null, 1)}\n`;
}
