/**
 * Checks a connection before kd gets it: kd takes a missing or malformed key or port without a word and then waits for
 * ever (engine.md §5).
 */
import { withoutSecrets } from './arguments.ts';
import type { Connection } from './connection.ts';
import { keyProblem, oversizedPart } from './kdnet-key.ts';
import { kernelFields, structured } from './kernel-string.ts';

/** Something wrong with a connection: the field and, in the message, the next step. `warning`: it may still work. */
export interface ConnectionProblem {
  readonly field: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

const BAUD_RATES = [9600, 19200, 38400, 57600, 115200];

const error = (field: string, message: string): ConnectionProblem => ({
  field,
  severity: 'error',
  message: `${field} ${message}`,
});
const warning = (field: string, message: string): ConnectionProblem => ({
  field,
  severity: 'warning',
  message: `${field} ${message}`,
});

/** Everything that is wrong with a connection; none: kd may have it. No message holds a secret. */
export function validateConnection(connection: Connection): readonly ConnectionProblem[] {
  switch (connection.transport) {
    case 'net':
      return [
        ...netPort(connection.port),
        ...netKey(connection.key),
        ...optionalValue('target', connection.target),
      ];
    case 'com':
      return [...comPort(connection.port), ...baudRate(connection.baud)];
    case 'pipe':
      return [...pipePath(connection.pipe), ...resets(connection.resets)];
    case 'tcp':
      return [
        ...value('host', connection.host, 'the address of the machine that offers the serial port'),
        ...tcpPort(connection.port),
      ];
    case 'usb':
      return value('targetName', connection.targetName, 'the targetname given to bcdedit /dbgsettings usb');
    case 'local':
    case 'simulator':
      return [];
    case 'dump':
      return dumpFiles(connection.files);
    case 'remote':
      return remoteText(connection.remote);
    case 'raw':
      return rawText(connection.k);
  }
}

function netPort(port: number): readonly ConnectionProblem[] {
  if (!Number.isInteger(port))
    return [
      error('port', 'is missing or no whole number: give the port of bcdedit /dbgsettings, e.g. 50000.'),
    ];
  if (port < 1024 || port > 65535) {
    return [
      error(
        'port',
        `${port} is no port for KDNET: use one from 49152 to 65535, the same on both sides (50000 to 50039 are usual).`,
      ),
    ];
  }
  if (port < 49152)
    return [
      warning(
        'port',
        `${port} is outside of 49152 to 65535, where KDNET ports should be. It works if the guest has the same.`,
      ),
    ];
  return [];
}

function netKey(key: string): readonly ConnectionProblem[] {
  const problem = keyProblem(key);
  if (problem === undefined) {
    const part = oversizedPart(key);
    if (part === undefined) return [];
    return [
      warning(
        'key',
        `has more than 64 bits in part ${part}, which kdnet.exe never makes: if the guest does not connect, make a new key there with "bcdedit /dbgsettings net … newkey".`,
      ),
    ];
  }
  return [
    error(
      'key',
      `${problem}. Copy it from the state file, from kdnet.exe's output or from "bcdedit /dbgsettings" in the guest: w.x.y.z, each up to 13 characters.`,
    ),
  ];
}

function comPort(port: string): readonly ConnectionProblem[] {
  if (/^(\\\\\.\\)?com\d{1,3}$/i.test(port)) return [];
  return [
    error(
      'port',
      `${shown(port)} is no COM port: give COM1, COM2 … of this machine. A virtual machine's serial pipe is the transport pipe.`,
    ),
  ];
}

function baudRate(baud: number | undefined): readonly ConnectionProblem[] {
  if (baud === undefined || BAUD_RATES.includes(baud)) return [];
  if (!Number.isInteger(baud) || baud < 1)
    return [error('baud', `is no number: use one of ${BAUD_RATES.join(', ')}, the same on both sides.`)];
  return [
    warning(
      'baud',
      `${baud} is unusual: ${BAUD_RATES.join(', ')} are known to work; it must be the same on both sides.`,
    ),
  ];
}

function pipePath(pipe: string): readonly ConnectionProblem[] {
  if (!/^\\\\[^\\,"]+\\pipe\\[^,"]+$/i.test(pipe)) {
    return [
      error(
        'pipe',
        `${shown(pipe)} is no pipe: give \\\\.\\pipe\\NAME as in the virtual machine's serial port, e.g. \\\\.\\pipe\\com_1.`,
      ),
    ];
  }
  return asciiPath('pipe', pipe);
}

function resets(count: number | undefined): readonly ConnectionProblem[] {
  if (count === undefined || (Number.isInteger(count) && count >= 0)) return [];
  return [error('resets', 'is no whole number: leave it out, or 0 for any number of reset packets.')];
}

function tcpPort(port: number): readonly ConnectionProblem[] {
  if (Number.isInteger(port) && port >= 1 && port <= 65535) return [];
  return [error('port', 'is missing or no TCP port: give one from 1 to 65535.')];
}

/** A value inside a `-k` text: a comma or blank in it would begin another field. */
function value(field: string, text: string, what: string): readonly ConnectionProblem[] {
  if (text.trim() === '') return [error(field, `is missing: give ${what}.`)];
  if (/[\s,"]/.test(text) || !isPrintable(text))
    return [
      error(
        field,
        `${shown(text)} holds a blank, comma, quote or a character that is not ASCII: give ${what}.`,
      ),
    ];
  return [];
}

function optionalValue(field: string, text: string | undefined): readonly ConnectionProblem[] {
  return text === undefined ? [] : value(field, text, 'a name or an address of the guest, or leave it out');
}

function dumpFiles(files: readonly string[]): readonly ConnectionProblem[] {
  if (files.length === 0)
    return [error('files', 'is empty: give the path of a dump file, e.g. C:\\Windows\\MEMORY.DMP.')];
  return files.flatMap((file) =>
    file.trim() === ''
      ? [error('files', 'holds an empty path: give the path of a dump file.')]
      : asciiPath('files', file),
  );
}

/** kd loses characters of its arguments that its host's code page lacks (design.md §3). */
function asciiPath(field: string, path: string): readonly ConnectionProblem[] {
  if (/[\u0000-\u001f\u007f"]/.test(path))
    return [error(field, `${shown(path)} holds a quote or a control character, which no path has.`)];
  if (isPrintable(path) || !/^([A-Za-z]:)?[\\/]/.test(path)) return [];
  return [
    warning(
      field,
      `${shown(path)} holds characters that are not ASCII, which kd may not find: copy the file to a path in ASCII.`,
    ),
  ];
}

function remoteText(remote: string): readonly ConnectionProblem[] {
  const parsed = kernelFields(remote);
  if (parsed === undefined || !/^(tcp|npipe|spipe|ssl|com)$/.test(parsed.protocol)) {
    return [
      error(
        'remote',
        'is no server: give e.g. npipe:server=HOST,pipe=NAME or tcp:server=HOST,port=5005, as the server printed it.',
      ),
    ];
  }
  return isPrintable(remote)
    ? []
    : [error('remote', 'holds characters that are not ASCII, which kd does not take: use an ASCII name.')];
}

function rawText(k: string): readonly ConnectionProblem[] {
  if (kernelFields(k) === undefined)
    return [error('k', 'is no -k text: give e.g. net:port=50000,key=… or com:port=COM1,baud=115200.')];
  if (!isPrintable(k)) return [error('k', 'holds characters that are not ASCII: kd does not take them.')];
  const named = structured({ transport: 'raw', k });
  if (named.transport !== 'raw') return validateConnection(named);
  // A `net:` text with further fields: port and key are checked all the same.
  const { protocol, fields } = kernelFields(k) ?? { protocol: '', fields: new Map<string, string>() };
  if (protocol !== 'net') return [];
  return [...netPort(Number(fields.get('port') ?? Number.NaN)), ...netKey(fields.get('key') ?? '')];
}

function shown(whole: string): string {
  const text = withoutSecrets(whole);
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
}

function isPrintable(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}
