/** What starting a session for a connection would do to the host, besides what a debug session is for. */
import type { Connection } from '../kd/connection.ts';
import type { Effect } from './effects.ts';

export interface StartEffect {
  readonly effect: Effect;
  /** What of the connection does it. Never a key. */
  readonly part: string;
}

/** `\\.\pipe\name`, `\\.\com3`, `\\?\C:\x`: devices and paths of this machine. */
const OWN_DEVICE = /^\\\\(?:\.\\(?:pipe\\)?[^\\/]+|\?\\[a-z]:\\.*)$/i;
const THIS_MACHINE = /^(?:\\\\)?(?:\.|localhost|127(?:\.\d+){3}|\[?::1\]?)$/i;

/** Does Windows sign in on another machine, as the person, when it opens this path? `\\server\share`, `//server/…`. */
export function leadsElsewhere(path: string): boolean {
  const text = path.trim();
  return /^[\\/]{2}/.test(text) && !OWN_DEVICE.test(text);
}

/** What an agent needs a person's word for; undefined: nothing. */
export function startEffect(connection: Connection): StartEffect | undefined {
  switch (connection.transport) {
    case 'com':
      return signsIn(connection.port);
    case 'pipe':
      return signsIn(connection.pipe);
    case 'dump':
      return connection.files.map(signsIn).find((found) => found !== undefined);
    case 'remote':
      return remoteEffect(connection.remote);
    case 'raw':
      return rawEffect(connection.k);
    // These reach their guest, and nothing signs in there.
    case 'net':
    case 'tcp':
    case 'usb':
    case 'local':
    case 'simulator':
      return undefined;
  }
}

function signsIn(path: string): StartEffect | undefined {
  return leadsElsewhere(path) ? { effect: 'network', part: path.trim() } : undefined;
}

/** Named pipes of another machine; a TCP server asks for no account. */
function remoteEffect(remote: string): StartEffect | undefined {
  if (!/^\s*s?n?pipe\s*:/i.test(remote)) return undefined;
  const server = /\bserver\s*=\s*([^,]*)/i.exec(remote)?.[1]?.trim() ?? '';
  return THIS_MACHINE.test(server) ? undefined : { effect: 'network', part: `server=${server}` };
}

/** `exdi:` names a COM class that is loaded. */
function rawEffect(k: string): StartEffect | undefined {
  if (/^\s*exdi\b/i.test(k)) return { effect: 'host code', part: 'exdi' };
  return [...k.matchAll(/(?<=[=,])\s*[\\/]{2}[^,]*/g)]
    .map(([path]) => signsIn(path))
    .find((one) => one !== undefined);
}
