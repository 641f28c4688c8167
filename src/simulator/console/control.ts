/** `--control PATH`: one line in, one line out, to make things happen at the moment a test wants them. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { eventOf, happenInGuest, unescapeText } from '../happenings.ts';
import { print } from '../machine/run.ts';
import { stateOf } from './guest-file.ts';
import type { Happening } from './scenarios.ts';
import type { KdSession } from './session.ts';

/** Makes an event of a scenario happen; returns false when it cannot happen now. */
export function happen(session: KdSession, event: Happening): boolean {
  switch (event.what) {
    case 'vanish':
      session.link.vanish();
      return true;
    case 'back':
      session.link.back();
      session.shell.linkChanged();
      return true;
    case 'exit':
      if (session.machine.state !== 'running') return false;
      session.die();
      return true;
    default:
      return happenInGuest(session.machine, event);
  }
}

/** Obeys one line; the answer is `ok …`, `no …` (not possible now) or `error …`, or JSON for `state`. */
export function obey(session: KdSession, line: string): string {
  const match = /^\s*(\S+)\s?(.*)$/.exec(line);
  const word = match?.[1] ?? '';
  const rest = match?.[2] ?? '';
  switch (word) {
    case 'print':
      print(session.machine, unescapeText(rest));
      return 'ok';
    case 'noise':
      session.link.setNoise(rest.trim() === 'on');
      return 'ok';
    case 'appear':
      session.link.appear();
      return session.link.state === 'down' ? 'no target is off or has another key' : 'ok';
    case 'state':
      return JSON.stringify({
        ...stateOf(session.machine),
        link: session.link.state,
        kd: session.shell.phase,
      });
    default: {
      const event = eventOf(word, rest.trim());
      if (!event) return `error unknown request '${word}'`;
      return happen(session, event) ? 'ok' : `no the guest is ${session.machine.state}`;
    }
  }
}

/** Listens on a Unix socket or a named pipe for lines and answers each. Returns how to stop it. */
export function listenForControl(path: string, obeyLine: (line: string) => string): () => void {
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    createInterface({ input: socket }).on('line', (line) => {
      // Answered once what it caused has been printed.
      const answer = obeyLine(line);
      if (!socket.destroyed) socket.write(`${answer}\n`);
    });
  });
  server.on('error', () => {});
  server.listen(path);
  server.unref();
  return () => {
    server.close();
    if (process.platform !== 'win32') rmSync(path, { force: true });
  };
}
