/**
 * The file in which WinRM-MCP's `configure_kdnet()` leaves what a debugger needs to reach the guest.
 *
 * Checked by hand, not by zod: the extension watches it from its activation on, and the session host knows it.
 */

/** Name and version of the format. */
export const STATE_SCHEMA = 'winrm-kd-session-v1';

/** A state file's content. Fields this program does not know are kept. */
export interface StateFile {
  readonly schema: typeof STATE_SCHEMA;
  /** Name or address of the guest, where WinRM lives. */
  readonly guest_host: string;
  /** Address of the host as the guest was told. */
  readonly host_ip: string;
  /** KDNET port. */
  readonly port: number;
  /** KDNET key. Never shown. */
  readonly key: string;
  readonly created_by?: string;
  readonly created_at_unix?: number;
  readonly [unknown: string]: unknown;
}

/** A state file that is there and cannot be used. The message names each wrong field and never holds the key. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

type Check = (value: unknown) => string | undefined;

const text: Check = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'a text that is not empty';
const port: Check = (value) =>
  isWhole(value) && value >= 1 && value <= 65535 ? undefined : 'a port number from 1 to 65535';
const time: Check = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : 'a time in seconds since 1970';

const required: Readonly<Record<string, Check>> = { guest_host: text, host_ip: text, port, key: text };
const optional: Readonly<Record<string, Check>> = { created_by: text, created_at_unix: time };

/**
 * Checks the parsed JSON of a state file.
 * @throws StateFileError without the path; the reader adds it.
 */
export function parseState(value: unknown): StateFile {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StateFileError(`expected an object with schema ${STATE_SCHEMA}, found ${kindOf(value)}`);
  }
  const fields: Readonly<Record<string, unknown>> = { ...value };
  if (fields.schema !== STATE_SCHEMA) {
    const found =
      typeof fields.schema === 'string' ? JSON.stringify(fields.schema.slice(0, 80)) : kindOf(fields.schema);
    throw new StateFileError(
      `unknown schema ${found}: this version reads ${STATE_SCHEMA}. Another version of KD-MCP may read it`,
    );
  }
  const port =
    typeof fields.port === 'string' && /^\d{1,5}$/.test(fields.port) ? Number(fields.port) : fields.port;
  const checked = { ...fields, port };
  const problems = [
    ...Object.entries(required).map(([name, check]) => problem(checked, name, check)),
    ...Object.entries(optional).map(([name, check]) =>
      isAbsent(fields[name]) ? undefined : problem(checked, name, check),
    ),
  ].filter((found) => found !== undefined);
  if (problems.length > 0) throw new StateFileError(problems.join('; '));
  const absent = Object.keys(optional).filter((name) => isAbsent(fields[name]));
  // Every field was checked above.
  return Object.fromEntries(
    Object.entries(checked).filter(([name]) => !absent.includes(name)),
  ) as unknown as StateFile;
}

/** Seconds since the file was written, as it says itself; undefined when it does not say or its clock is ahead. */
export function ageOf(state: StateFile, now: number = Date.now()): number | undefined {
  if (state.created_at_unix === undefined) return undefined;
  const age = now / 1000 - state.created_at_unix;
  return age < 0 ? undefined : age;
}

/** The state without its key, for messages. */
export function withoutKey(state: StateFile): Readonly<Record<string, unknown>> {
  const { key: _, ...rest } = state;
  return rest;
}

function problem(fields: Readonly<Record<string, unknown>>, name: string, check: Check): string | undefined {
  const value = fields[name];
  const expected = check(value);
  if (expected === undefined) return undefined;
  // A value in the wrong place may be the key: only its kind is named, but a number as port is harmless.
  const found = name === 'port' && typeof value === 'number' ? String(value) : kindOf(value);
  return `field ${name}: expected ${expected}, found ${found}`;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
