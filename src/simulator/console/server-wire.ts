/**
 * What a simulated debugging server and its clients say to each other: JSON lines. Named pipes are Unix sockets in one
 * folder where there is no Windows; the real protocol is Microsoft's own and nothing of it shows in kd's texts.
 */
import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type FromClient =
  | { readonly kind: 'hello'; readonly password: string; readonly user: string }
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'break' };

export type FromServer =
  | { readonly kind: 'refused' }
  | { readonly kind: 'text'; readonly text: string }
  /** A prompt; without one: the client is at none any more. */
  | { readonly kind: 'prompt'; readonly prompt?: string };

/** `npipe:server=.,pipe=NAME,password=P` or `tcp:port=5005`, as the text behind `.server`, `-server` and `-remote`. */
export interface ServerAddress {
  readonly kind: 'npipe' | 'tcp';
  /** Name of the pipe or number of the port. */
  readonly place: string;
  readonly password: string;
}

/** HRESULTs of the engine (engine-facts.md). */
export const REFUSED = 0x80010007;
export const NO_SUCH_PIPE = 0x80070002;
export const CONNECTION_REFUSED = 0x8007274d;

/** Longest password (engine-facts.md). */
const LONGEST_PASSWORD = 12;

/** Undefined for a text that is no address. */
export function addressOf(text: string): ServerAddress | undefined {
  const match = /^(npipe|tcp):(.*)$/i.exec(text.trim());
  if (!match) return undefined;
  const fields = new Map(
    (match[2] ?? '').split(',').map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name.trim().toLowerCase(), value.trim()] as const;
    }),
  );
  const kind = match[1]?.toLowerCase() === 'tcp' ? 'tcp' : 'npipe';
  const place = fields.get(kind === 'tcp' ? 'port' : 'pipe') ?? '';
  const password = fields.get('password') ?? '';
  return place === '' || password.length > LONGEST_PASSWORD ? undefined : { kind, place, password };
}

/** Where `net` listens for an address, or connects to. */
export function endpointOf({
  kind,
  place,
}: ServerAddress): { path: string } | { host: string; port: number } {
  if (kind === 'tcp') return { host: '127.0.0.1', port: Number(place) };
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${place}` };
  const folder = join(tmpdir(), `kd-simulator-pipes-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { path: join(folder, place.replaceAll('/', '_')) };
}

/** Calls `take` for each message. */
export function listen<Message>(socket: Socket, take: (message: Message) => void): void {
  const lines = createInterface({ input: socket });
  // The interface repeats the socket's own errors.
  lines.on('error', () => {});
  lines.on('line', (line) => {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      socket.destroy();
      return;
    }
    take(message);
  });
}

/** Sends a message to whoever is at the other end. */
export function say(socket: Socket, message: FromClient | FromServer): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}
