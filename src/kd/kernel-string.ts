/**
 * The text behind `-k`: `net:port=…,key=…`, `com:…`, `usb:…` (kd-behaviour.md §1.2), both ways.
 *
 * kd complains of almost nothing in it (engine.md §5), so nothing here guesses.
 */
import type { Connection } from './connection.ts';

/** Names and values of a `-k` text; a name without `=` has the value ''. Names are in lower case. */
export interface KernelFields {
  readonly protocol: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** Takes a `-k` text apart; undefined when it does not look like one. */
export function kernelFields(text: string): KernelFields | undefined {
  const match = /^([a-z][a-z0-9]*):(.*)$/is.exec(text.trim());
  if (match === null) return undefined;
  const fields = new Map<string, string>();
  for (const part of (match[2] ?? '').split(',')) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (name !== '') fields.set(name, equals < 0 ? '' : part.slice(equals + 1).trim());
  }
  return { protocol: (match[1] ?? '').toLowerCase(), fields };
}

/**
 * The connection a `-k` text names. Text with parts that have no place in {@link Connection} (`com:modem`, `exdi:`,
 * `kdsrv:`) stays `raw`. A missing port or key is left for `validateConnection` to name.
 */
export function connectionOfKernelString(text: string): Connection {
  const k = text.trim();
  const parsed = kernelFields(k);
  if (parsed === undefined) return { transport: 'raw', k };
  const { protocol, fields } = parsed;
  const only = (...names: readonly string[]) => [...fields.keys()].every((name) => names.includes(name));
  const target = fields.get('target');
  if (protocol === 'net' && only('port', 'key', 'target')) {
    return {
      transport: 'net',
      port: numberOf(fields.get('port')),
      key: fields.get('key') ?? '',
      ...(target === undefined ? {} : { target }),
    };
  }
  if ((protocol === 'usb' || protocol === 'usb2') && only('targetname')) {
    return protocol === 'usb'
      ? { transport: 'usb', targetName: fields.get('targetname') ?? '' }
      : { transport: 'raw', k };
  }
  return protocol === 'com' ? serialConnection(k, fields, only) : { transport: 'raw', k };
}

function serialConnection(
  k: string,
  fields: ReadonlyMap<string, string>,
  only: (...names: readonly string[]) => boolean,
): Connection {
  const port = fields.get('port') ?? '';
  if (fields.has('pipe') && only('pipe', 'port', 'resets', 'reconnect', 'baud')) {
    const resets = fields.get('resets');
    return {
      transport: 'pipe',
      pipe: port,
      ...(fields.has('reconnect') ? { reconnect: true } : {}),
      ...(resets === undefined ? {} : { resets: numberOf(resets) }),
    };
  }
  if (fields.has('ipport') && only('ipport', 'port')) {
    return { transport: 'tcp', host: port, port: numberOf(fields.get('ipport')) };
  }
  if (only('port', 'baud')) {
    const baud = fields.get('baud');
    return { transport: 'com', port, ...(baud === undefined ? {} : { baud: numberOf(baud) }) };
  }
  return { transport: 'raw', k };
}

/** NaN for what is no whole number: the check names it. */
function numberOf(text: string | undefined): number {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** A raw connection as the structured one it stands for, if there is one. */
export function structured(connection: Connection): Connection {
  return connection.transport === 'raw' ? connectionOfKernelString(connection.k) : connection;
}
