/** `--control PATH`: one line in, one line out, to make things happen at the moment a test wants them. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { crash, reboot, reset } from '../machine/power.ts';
import { ASSERTION, ask, execute, loadModule, print } from '../machine/run.ts';
import { stateOf } from './guest-file.ts';
import type { Happening } from './scenarios.ts';
import type { KdSession } from './session.ts';

/** Makes an event of a scenario happen; returns false when it cannot happen now. */
export function happen(session: KdSession, event: Happening): boolean {
  const { machine } = session;
  switch (event.what) {
    case 'print':
      if (machine.state !== 'running') return false;
      print(machine, event.text);
      return true;
    case 'hit':
      return execute(machine, event.symbol) !== 'unknown';
    case 'bugcheck':
      if (machine.state !== 'running') return false;
      crash(machine, event.code, event.parameters);
      return true;
    case 'load':
      return loadModule(machine, event.module) !== undefined;
    case 'reboot':
      if (machine.state !== 'running') return false;
      reboot(machine);
      return true;
    case 'reset':
      if (machine.state === 'off') return false;
      reset(machine);
      return true;
    case 'vanish':
      session.link.vanish();
      return true;
    case 'back':
      session.link.back();
      session.shell.linkChanged();
      return true;
    case 'ask':
      if (machine.state !== 'running') return false;
      ask(machine, ASSERTION);
      return true;
    case 'exit':
      if (machine.state !== 'running') return false;
      session.die();
      return true;
  }
}

/** Text with `\n`, `\r`, `\t`, `\e`, `\\`, `\xNN`, `\uNNNN`. */
export function unescapeText(text: string): string {
  const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', e: '\x1b', '\\': '\\' };
  return text.replace(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|[nrte\\])/gi, (_, code: string) => {
    const short = named[code];
    return short ?? String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });
}

function eventOf(word: string, rest: string): Happening | undefined {
  switch (word) {
    case 'hit':
      return { what: 'hit', symbol: rest || 'mydriver!MyDispatch' };
    case 'load':
      return { what: 'load', module: rest || 'otherdrv' };
    case 'bugcheck': {
      const [code = 'd1', ...parameters] = rest.split(/\s+/).filter((p) => p !== '');
      const value = (text: string | undefined) => BigInt(`0x${(text ?? '0').replace(/^0x/i, '')}`);
      return {
        what: 'bugcheck',
        code: Number(value(code)),
        parameters: [0, 1, 2, 3].map((i) => value(parameters[i])),
      };
    }
    case 'reboot':
    case 'reset':
    case 'vanish':
    case 'back':
    case 'ask':
    case 'exit':
      return { what: word };
    default:
      return undefined;
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
    case 'foreign':
      session.print(`[BOX\\user (tcp [::1]:5005)] ${session.debugger.prompt()}${unescapeText(rest)}\n`);
      return 'ok';
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

/** Listens on a Unix socket or a named pipe. Returns how to stop it. */
export function listenForControl(session: KdSession, path: string): () => void {
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    createInterface({ input: socket }).on('line', (line) => {
      // Answered once what it caused has been printed.
      const answer = obey(session, line);
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
