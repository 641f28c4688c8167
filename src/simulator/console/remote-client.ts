/** `kd -remote …`: a kd whose engine is another one's. It shows what happens there and sends lines and breaks. */
import { createConnection } from 'node:net';
import { hostname, userInfo } from 'node:os';
import type { Codec } from './codec.ts';
import { Input } from './input.ts';
import type { Output } from './output.ts';
import {
  addressOf,
  CONNECTION_REFUSED,
  endpointOf,
  type FromServer,
  listen,
  NO_SUCH_PIPE,
  REFUSED,
  say,
} from './server-wire.ts';

const INVALID_PARAMETER = 0x80070057;

export interface RemoteClient {
  /** Ctrl+C, Ctrl+Break or Ctrl+F: stops the target or the command there. */
  readonly requestBreak: () => void;
}

/** Joins the session at `text`; `exit` is called once, with kd's exit code. */
export function joinSession(
  text: string,
  {
    output,
    codec,
    exit,
  }: { readonly output: Output; readonly codec: Codec; readonly exit: (code: number) => void },
): RemoteClient {
  let over = false;
  const end = (code: number): void => {
    if (over) return;
    over = true;
    socket?.destroy();
    exit(code);
  };
  /** What kd.exe says here is not known; the code is the engine's. */
  const fail = (code: number): void => {
    if (!over) output.print(`Unable to connect to the remote session, HRESULT 0x${code.toString(16)}\n`);
    end(code);
  };
  const address = addressOf(text);
  const socket = address && createConnection(endpointOf(address));
  if (!address || !socket) {
    fail(INVALID_PARAMETER);
    return { requestBreak: () => {} };
  }
  let atPrompt = false;
  const input = new Input(process.stdin, {
    onReadable: () => pump(),
    onBreak: () => {
      say(socket, { kind: 'break' });
      return true;
    },
    onQuit: () => end(0),
    onEnd: () => end(0),
  });
  const pump = (): void => {
    if (!atPrompt) return;
    const line = input.readLine();
    if (!line) return;
    atPrompt = false;
    say(socket, { kind: 'line', text: codec.decode(line) });
  };
  socket.on('error', () => fail(address.kind === 'tcp' ? CONNECTION_REFUSED : NO_SUCH_PIPE));
  socket.on('close', () => end(REFUSED));
  say(socket, {
    kind: 'hello',
    password: address.password,
    user: `${hostname().toUpperCase()}\\${userInfo().username}`,
  });
  listen<FromServer>(socket, (message) => {
    switch (message.kind) {
      case 'refused':
        fail(REFUSED);
        break;
      case 'text':
        output.print(message.text);
        break;
      case 'prompt':
        atPrompt = message.prompt !== undefined;
        output.print(message.prompt ?? '');
        pump();
        break;
    }
  });
  return { requestBreak: () => say(socket, { kind: 'break' }) };
}
