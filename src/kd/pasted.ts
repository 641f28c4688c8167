/**
 * One parser for whatever people paste as "the connection" (field-reports.md 3 and 4): a `windbg -k …` line, a bare
 * `net:…`, what kdnet.exe or `bcdedit /dbgsettings` printed, the JSON of a state file.
 */
import { parseState } from '../state-file/schema.ts';
import type { Connection } from './connection.ts';
import { connectionOfKernelString, kernelFields, structured } from './kernel-string.ts';
import { validateConnection } from './validate.ts';

/** `notes` and `error` are sentences for the user and never hold a key. */
export type PastedConnection =
  | { readonly ok: true; readonly connection: Connection; readonly notes: readonly string[] }
  | { readonly ok: false; readonly error: string };

const NOTHING_FOUND =
  'No connection in this text. Paste a line such as "windbg -k net:port=50000,key=…", the output of kdnet.exe or of "bcdedit /dbgsettings", or name port and key.';

/** Finds the connection in a text and checks it. */
export function parseKernelString(text: string): PastedConnection {
  const plain = text.replaceAll('\ufeff', '').trim();
  if (plain === '') return { ok: false, error: NOTHING_FOUND };
  if (plain.startsWith('{')) return fromStateJson(plain);
  const notes = notesOn(plain);
  const option = optionIn(plain);
  if (option !== undefined) return checked(option, notes);
  const settings = settingsIn(plain);
  if (settings.size > 0) return fromSettings(settings, plain, notes);
  return { ok: false, error: NOTHING_FOUND };
}

/** `-k …`, `-kl`, `-z …`, `-remote …` anywhere in the text, or a text that is one. */
function optionIn(text: string): Connection | undefined {
  // `bcdedit /dbgsettings` has options with a slash too, but none of these.
  const match = /(?:^|[\s"'`(])[-/](k|z|remote)\s+("[^"]*"|'[^']*'|\S+)/.exec(text);
  if (match !== null) {
    const value = unquote(match[2] ?? '');
    if (match[1] === 'z') return { transport: 'dump', files: [value] };
    if (match[1] === 'remote') return { transport: 'remote', remote: value };
    return connectionOfKernelString(value);
  }
  if (/(?:^|\s)[-/]kl(?:\s|$)/.test(text)) return { transport: 'local' };
  const bare = /^["'`]?((?:net|com|usb2?|1394|kdsrv|exdi):[^\r\n]*?)["'`]?$/i.exec(text)?.[1];
  if (bare !== undefined) return connectionOfKernelString(unquote(bare));
  const inside = /(?:^|[\s"'`(])((?:net):port=[^\s"'`)]+)/i.exec(text)?.[1];
  return inside === undefined ? undefined : connectionOfKernelString(unquote(inside));
}

/** Takes off quotes, and the punctuation of a sentence around it. */
function unquote(text: string): string {
  return text
    .replace(/^["'`]+|["'`)>]+$/g, '')
    .replace(/[.,;]+$/, '')
    .trim();
}

/** Name/value lines of bcdedit, and `Key=…`; names stay English on every Windows (kd-behaviour.md §2.2). */
function settingsIn(text: string): ReadonlyMap<string, string> {
  const names = 'key|debugtype|hostip|hostipv6|port|dhcp|busparams|debugport|baudrate|targetname|channel';
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = new RegExp(`^\\s*(${names})(?:\\s*[=:]\\s*|\\s+)(\\S.*?)\\s*$`, 'i').exec(line);
    const name = match?.[1]?.toLowerCase();
    if (name !== undefined && !found.has(name)) found.set(name, match?.[2] ?? '');
  }
  // `kdnet 192.168.1.1 50010` in front of `Key=…` names the port.
  const port = /\bkdnet(?:\.exe)?\s+[0-9a-f.:]+\s+(\d{1,5})\b/i.exec(text)?.[1];
  if (port !== undefined && !found.has('port')) found.set('port', port);
  return found;
}

function fromSettings(
  settings: ReadonlyMap<string, string>,
  text: string,
  notes: readonly string[],
): PastedConnection {
  const type = settings.get('debugtype')?.toUpperCase();
  if (type === 'SERIAL' || (type === undefined && settings.has('debugport'))) {
    return {
      ok: false,
      error: `The guest debugs over its serial port${settings.has('debugport') ? ` COM${settings.get('debugport')}` : ''}. The text does not say what that is on this machine: use transport com with this machine's port, or pipe with the virtual machine's pipe (\\\\.\\pipe\\com_1).`,
    };
  }
  if (type === 'USB')
    return checked({ transport: 'usb', targetName: settings.get('targetname') ?? '' }, notes);
  if (type === 'LOCAL') return checked({ transport: 'local' }, notes);
  if (type !== undefined && type !== 'NET') {
    return {
      ok: false,
      error: `The guest's debugtype is ${JSON.stringify(type.slice(0, 20))}. Set it up for the network: bcdedit /dbgsettings net hostip:… port:50000.`,
    };
  }
  const key = settings.get('key');
  const port = settings.get('port');
  if (key === undefined && (type === 'NET' || port !== undefined)) {
    return {
      ok: false,
      error:
        'The text has no key. Run "bcdedit /dbgsettings" in the guest as administrator and paste all of it.',
    };
  }
  if (key === undefined) return { ok: false, error: NOTHING_FOUND };
  if (port === undefined) {
    return {
      ok: false,
      error: 'The text has a key and no port. Name the port given to kdnet.exe, e.g. 50000, beside it.',
    };
  }
  const net: Connection = { transport: 'net', port: /^\d+$/.test(port) ? Number(port) : Number.NaN, key };
  return checked(net, [...notes, ...addressNotes(settings.get('hostip'), text)]);
}

function addressNotes(hostip: string | undefined, text: string): readonly string[] {
  if (hostip === undefined || /dhcp=/i.test(text)) return [];
  return hostip.startsWith('169.254.')
    ? [
        "hostip 169.254.… belongs to KDNET over USB: that is expected, it is not this machine's network address.",
      ]
    : [];
}

function notesOn(text: string): readonly string[] {
  return /failed to parse the busparams/i.test(text)
    ? [
        'kdnet.exe could not parse the busparams. If the guest does not connect, give them to it: kdnet.exe HOSTIP PORT -b BUS.DEVICE.FUNCTION.',
      ]
    : [];
}

function fromStateJson(text: string): PastedConnection {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      ok: false,
      error:
        'The text begins like a state file and is not complete JSON. Paste all of it, or use start_from_state.',
    };
  }
  try {
    const { port, key } = parseState(value);
    return checked({ transport: 'net', port, key }, []);
  } catch (error) {
    return {
      ok: false,
      error: `The state file cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
}

function checked(connection: Connection, notes: readonly string[]): PastedConnection {
  const named = structured(connection);
  const problems = validateConnection(named);
  const errors = problems.filter((problem) => problem.severity === 'error').map((problem) => problem.message);
  if (errors.length > 0)
    return { ok: false, error: `The text names a ${nameOf(named)} connection: ${errors.join(' ')}` };
  return { ok: true, connection: named, notes: [...notes, ...problems.map((problem) => problem.message)] };
}

function nameOf(connection: Connection): string {
  return connection.transport === 'raw'
    ? (kernelFields(connection.k)?.protocol ?? 'kernel')
    : connection.transport;
}
