/** Checks of what comes over the wire. By hand: the host loads no schema library. */

import { LEVELS } from '../config/levels.ts';
import { deniedPattern } from '../config/pattern.ts';
import { isSessionId } from './home.ts';
import { type ClientIdentity, DEFAULT_LIMITS, type HostStart, type Level, type Limits } from './protocol.ts';
import { refuse } from './refusals.ts';

/** No request waits longer: whoever needs more asks again. */
const MAX_WAIT_MS = 24 * 3_600_000;

export function duration(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw refuse('badArgument', `${name}: expected milliseconds from 0 up.`);
  }
  return Math.min(value, MAX_WAIT_MS);
}

export function optionalInteger(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw refuse('badArgument', `${name}: expected a whole number.`);
}

export function stringList(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw refuse('badArgument', `${name}: expected a list of texts.`);
}

export function level(value: unknown): Level {
  const known = LEVELS.find((one) => one === value);
  if (known === undefined) throw refuse('badArgument', `level: expected one of ${LEVELS.join(', ')}.`);
  return known;
}

/** Half a list would let through what the other half forbids: all or nothing. */
export function optionalLimits(value: unknown): Limits | undefined {
  if (value === undefined || value === null) return undefined;
  const given = isObject(value) ? value : {};
  const security = isObject(given.security) ? given.security : {};
  const denied = stringList(security.denied_patterns, 'denied_patterns');
  // Throws for what is no regular expression.
  denied.forEach(deniedPattern);
  return {
    level: level(given.level),
    security: {
      allowed_command_prefixes: stringList(security.allowed_command_prefixes, 'allowed_command_prefixes'),
      denied_patterns: denied,
    },
  };
}

/** A name is shown to people and written into transcripts: one short line. */
export function cleanIdentity(value: unknown): ClientIdentity {
  const given = isObject(value) ? value : {};
  const name = typeof given.name === 'string' ? given.name : '';
  return {
    kind: given.kind === 'person' ? 'person' : 'agent',
    name:
      name
        .toWellFormed()
        .replace(/[\p{C}\p{Z}]+/gu, ' ')
        .trim()
        .slice(0, 60) || 'unknown',
  };
}

/** What the launcher passes on. @throws Error that names what is wrong. */
export function parseHostStart(text: string): HostStart {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('The start request is not JSON.');
  }
  if (!isObject(value)) throw new Error('The start request is not an object.');
  const { home, id, connection, kd, startupTimeoutSec, haltLeaseSec, orphanGraceSec } = value;
  if (typeof home !== 'string' || home === '') throw new Error('home: expected a folder.');
  if (typeof id !== 'string' || !isSessionId(id)) {
    throw new Error('id: expected letters, digits, ".", "_" and "-", e.g. net-50000.');
  }
  if (!isObject(connection) || typeof connection.transport !== 'string') {
    throw new Error('connection: expected an object with a transport.');
  }
  if (!Array.isArray(kd) || kd.length === 0 || !kd.every((item) => typeof item === 'string' && item !== '')) {
    throw new Error('kd: expected the debugger and its leading arguments.');
  }
  for (const [name, seconds] of Object.entries({ startupTimeoutSec, haltLeaseSec, orphanGraceSec })) {
    if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) {
      throw new Error(`${name}: expected seconds from 0 up.`);
    }
  }
  for (const name of ['symbolPath', 'guestHost', 'stateFile', 'workdir']) {
    if (value[name] !== undefined && typeof value[name] !== 'string')
      throw new Error(`${name}: expected a text.`);
  }
  return {
    ...value,
    startedBy: cleanIdentity(value.startedBy),
    breakOnConnect: value.breakOnConnect === true,
    limits: optionalLimits(value.limits) ?? DEFAULT_LIMITS,
  } as HostStart;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
