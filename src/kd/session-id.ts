/** What a connection is called, and whether two are the same: ids, titles and records, without secrets. */
import { withoutSecrets } from './arguments.ts';
import type { Connection } from './connection.ts';
import { kernelFields, structured } from './kernel-string.ts';

const LONGEST_ID = 40;

/**
 * Id of a session with this connection: `net-50000`, `com-1`, `pipe-com_1`, `dump-memory`, `sim-1`.
 *
 * Safe as a file name everywhere. `com-1`, not `com1`: on Windows 10 `com1.json` is the serial port.
 */
export function sessionId(connection: Connection): string {
  const named = structured(connection);
  switch (named.transport) {
    case 'net':
      return `net-${named.port}`;
    case 'com':
      return `com-${/(\d+)$/.exec(named.port)?.[1] ?? 'port'}`;
    case 'pipe':
      return slug('pipe', named.pipe.replace(/^.*\\/, ''));
    case 'tcp':
      return slug('tcp', `${named.host}-${named.port}`);
    case 'usb':
      return slug('usb', named.targetName);
    case 'local':
      return 'local';
    case 'dump':
      return slug('dump', fileName(named.files[0] ?? '').replace(/\.[^.]*$/, ''));
    case 'remote':
      return slug('remote', remoteName(named.remote));
    case 'raw': {
      const parsed = kernelFields(named.k);
      return parsed?.protocol === 'net'
        ? slug('net', parsed.fields.get('port') ?? '')
        : slug('raw', parsed?.protocol ?? '');
    }
    case 'simulator':
      return 'sim-1';
  }
}

/** The n-th id to try when the first is taken: `net-50000-2`, but `sim-2`. */
export function sessionIdCandidate(connection: Connection, n: number): string {
  const first = sessionId(connection);
  if (n <= 1) return first;
  return connection.transport === 'simulator' ? `sim-${n}` : `${first}-${n}`;
}

/** What a person types for an id, as the id: `COM1` → `com-1`. */
export function normalizeSessionId(typed: string): string {
  return typed
    .trim()
    .toLowerCase()
    .replace(/^com(\d+)/, 'com-$1');
}

function slug(prefix: string, name: string): string {
  const clean = name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, LONGEST_ID)
    .replace(/^-+|-+$/g, '');
  return clean === '' ? prefix : `${prefix}-${clean}`;
}

function fileName(path: string): string {
  return path.replace(/[\\/]+$/, '').replace(/^.*[\\/]/, '');
}

/** The server without its password: `HOST-pipe` or `HOST-port`. */
function remoteName(remote: string): string {
  const fields = kernelFields(remote)?.fields;
  return [fields?.get('server'), fields?.get('pipe') ?? fields?.get('port')]
    .filter((part) => part !== undefined)
    .join('-');
}

/** One line for people: what kd is connected to. Never holds a secret. */
export function sessionTitle(connection: Connection): string {
  const named = structured(connection);
  switch (named.transport) {
    case 'net':
      return `KDNET port ${named.port}${named.target === undefined ? '' : `, target ${named.target}`}`;
    case 'com':
      return `Serial ${named.port.replace(/^\\\\\.\\/, '').toUpperCase()}${named.baud === undefined ? '' : `, ${named.baud} baud`}`;
    case 'pipe':
      return `Serial pipe ${named.pipe}`;
    case 'tcp':
      return `Serial over TCP ${named.host}:${named.port}`;
    case 'usb':
      return `USB ${named.targetName}`;
    case 'local':
      return 'Local kernel';
    case 'dump':
      return `Dump ${named.files.map(fileName).join(', ')}`;
    case 'remote':
      return `Remote debugger ${withoutSecrets(named.remote)}`;
    case 'raw':
      return `kd -k ${withoutSecrets(named.k)}`;
    case 'simulator':
      return `Simulator: ${named.scenario}`;
  }
}

/** A connection as a record keeps it: everything but its secrets. */
export function redactedConnection(connection: Connection): Readonly<Record<string, unknown>> {
  switch (connection.transport) {
    case 'net': {
      const { key: _, ...rest } = connection;
      return rest;
    }
    case 'remote':
      return { ...connection, remote: withoutSecrets(connection.remote) };
    case 'raw':
      return { ...connection, k: withoutSecrets(connection.k) };
    default:
      return { ...connection };
  }
}

/**
 * True when two connections need the same port, pipe or machine, so that two sessions cannot have both. The key does
 * not count: KDNET takes one debugger per port whatever the key. Also takes what {@link redactedConnection} made.
 */
export function sameTarget(a: Connection, b: Connection): boolean {
  const one = targetOf(a);
  return one !== undefined && one === targetOf(b);
}

/** What is taken exclusively, as a comparable text; undefined: nothing is (each simulator is its own machine). */
function targetOf(connection: Connection): string | undefined {
  const named = structured(connection);
  switch (named.transport) {
    case 'net':
      return `net ${named.port}`;
    case 'com':
      return `com ${named.port.toLowerCase().replace(/^\\\\\.\\/, '')}`;
    case 'pipe':
      return `pipe ${named.pipe.toLowerCase()}`;
    case 'tcp':
      return `tcp ${named.host.toLowerCase()} ${named.port}`;
    case 'usb':
      return `usb ${named.targetName.toLowerCase()}`;
    case 'local':
      return 'local';
    case 'dump':
      return `dump ${[...named.files]
        .map((file) => file.toLowerCase().replaceAll('/', '\\'))
        .sort()
        .join('\n')}`;
    case 'remote':
      return `remote ${withoutSecrets(named.remote).toLowerCase()}`;
    case 'raw': {
      const parsed = kernelFields(named.k);
      return parsed?.protocol === 'net'
        ? `net ${parsed.fields.get('port') ?? ''}`
        : `raw ${withoutSecrets(named.k).toLowerCase()}`;
    }
    case 'simulator':
      return undefined;
  }
}
