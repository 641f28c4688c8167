/** The wire: who gets an answer, what another version may do, what a client that does not read costs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RequestRefused } from '../../../src/client/connect.ts';
import { NoAnswer } from '../../../src/client/no-answer.ts';
import { RemoteSession } from '../../../src/client/remote-session.ts';
import { newSocketPath } from '../../../src/host/home.ts';
import { PROTOCOL, type SessionRecord } from '../../../src/host/protocol.ts';
import { SessionServer } from '../../../src/host/server.ts';
import { AGENT, type CoreRig, coreRig, PERSON, settled } from './core-rig.ts';

const TOKEN = 'f'.repeat(64);
let home: string;
let rig: CoreRig;
let server: SessionServer;
let record: SessionRecord;
const open: { dispose(): void }[] = [];

async function serve(protocol = PROTOCOL): Promise<void> {
  const socket = newSocketPath(home);
  server = await SessionServer.listen(socket);
  server.serve(rig.core, { token: TOKEN, protocol });
  record = {
    protocol,
    id: 'net-50000',
    title: '',
    transport: 'net',
    hostPid: process.pid,
    socket,
    token: TOKEN,
    startedAt: 1,
    startedBy: AGENT,
    transcript: '',
    connection: {},
    kd: [],
    state: 'running',
    pinned: false,
  };
}

async function client(identity = AGENT): Promise<RemoteSession> {
  const session = await RemoteSession.connect(record, identity);
  open.push(session);
  return session;
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kds-'));
  rig = coreRig();
});
afterEach(() => {
  for (const one of open.splice(0)) one.dispose();
  server.dispose();
  rig.dispose();
  rmSync(home, { recursive: true, force: true });
});

describe('before the token', () => {
  /** What a stranger gets for its bytes, until the connection is closed. */
  async function answerTo(bytes: string): Promise<string> {
    const socket: Socket = connect(record.socket);
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString();
    });
    socket.write(bytes);
    await new Promise<void>((closed) => {
      socket.on('error', () => {});
      socket.on('close', () => closed());
    });
    return said;
  }
  const message = (body: unknown): string => {
    const text = JSON.stringify(body);
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const hello = (token: unknown) =>
    message({ jsonrpc: '2.0', id: 1, method: 'hello', params: { token, protocol: PROTOCOL, client: AGENT } });

  beforeEach(() => serve());

  test.each([
    ['a request', message({ jsonrpc: '2.0', id: 1, method: 'state', params: {} })],
    ['a wrong token', hello('e'.repeat(64))],
    ['a shorter token', hello('f')],
    ['no token', hello(undefined)],
    ['a token of another type', hello([TOKEN])],
    ['a hello without parameters', message({ jsonrpc: '2.0', id: 1, method: 'hello' })],
    [
      'a request and its cancellation',
      message({ jsonrpc: '2.0', id: 1, method: 'state' }) +
        message({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } }),
    ],
    ['no protocol at all', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['broken JSON', 'Content-Length: 3\r\n\r\n{{{'],
    ['more than a hello needs', `Content-Length: 99999999\r\n\r\n${'x'.repeat(100_000)}`],
  ])('%s is answered with nothing at all', async (_what, bytes) => {
    expect(await answerTo(bytes)).toBe('');
    expect(rig.core.clients.size).toBe(0);
  });

  test('the right one is answered', async () => {
    expect((await client()).info.id).toBe('net-50000');
    await expect(RemoteSession.connect({ ...record, token: 'wrong' }, AGENT)).rejects.toThrow(NoAnswer);
  });
});

describe('a client', () => {
  beforeEach(() => serve());

  test('is named to all, on one line and not longer than a name', async () => {
    const session = await client({ kind: 'person', name: ` Min\nsu\u001b[31m ${'x'.repeat(100)}` });
    const { clients } = await session.refresh();
    expect(clients[0]?.identity.name).toBe(`Min su [31m ${'x'.repeat(48)}`);
  });

  test('learns of each change, in order, and at last the newest state', async () => {
    const session = await client();
    const states: string[] = [];
    session.onChange((info) => states.push(info.status.state));
    const broken = new Promise<void>((resolve) => {
      session.onChange((info) => info.status.state === 'broken' && resolve());
    });
    rig.engine.set({ state: 'breaking' });
    await settled();
    rig.engine.stop(AGENT);
    await broken;
    expect(states.slice(-2)).toEqual(['breaking', 'broken']);
    expect(session.info.status.generation).toBe(1);
  });

  test('gets wrong arguments named', async () => {
    const session = await client();
    await expect(session.breakIn(Number.NaN)).rejects.toThrow('timeoutMs: expected milliseconds');
    await expect(session.read({ from: 0.5, maxBytes: 10 })).rejects.toThrow('from: expected a whole number');
    await expect(session.command(['r'], { timeoutMs: 10 })).rejects.toBeInstanceOf(RequestRefused);
  });

  test('that gives up a wait ends only its wait', async () => {
    const session = await client();
    const given = new AbortController();
    const wait = session.waitForBreak({ timeoutMs: 60_000, signal: given.signal });
    await session.refresh();
    given.abort();
    expect((await wait).outcome).toBe('pending');
    expect((await session.refresh()).status.state).toBe('running');
  });

  test('that closes in the middle of a call is forgotten; the command goes on', async () => {
    rig.engine.stop(AGENT);
    rig.engine.autoOutput = undefined;
    const session = await client();
    const call = session.command(['k'], { timeoutMs: 60_000 });
    const other = await client(PERSON);
    await other.refresh();
    session.dispose();
    await expect(call).rejects.toThrow('is closed');
    rig.engine.end('done', 'output\n');
    expect((await other.read({ maxBytes: 100 })).text).toBe('k\noutput\n');
    expect(rig.core.clients.size).toBe(1);
  });

  test('follows the transcript from where it likes, and so does another listener of the same session', async () => {
    rig.engine.print('안녕 one\n');
    const session = await client();
    const seen: [string, string] = ['', ''];
    await session.follow(0, (piece) => {
      seen[0] += piece.text;
    });
    rig.engine.print('two\n');
    await session.follow(3, (piece) => {
      seen[1] += piece.text;
    });
    rig.engine.print('three\n');
    await session.refresh();
    await settled();
    expect(seen).toEqual(['안녕 one\ntwo\nthree\n', '녕 one\ntwo\nthree\n']);
  });

  test('that does not read costs no memory, and gets everything when it reads', async () => {
    const session = await client();
    let bytes = 0;
    await session.follow(0, (piece) => {
      bytes += Buffer.byteLength(piece.text);
    });
    const before = process.memoryUsage().rss;
    const line = `${'x'.repeat(1023)}\n`;
    // In one go: this process, which is the client too, reads nothing meanwhile.
    for (let count = 0; count < 64 * 1024; count++) rig.engine.print(line);
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
    const total = 64 * 1024 * 1024;
    await new Promise<void>((done, failed) => {
      const look = () => (bytes >= total ? done() : setTimeout(look, 10));
      setTimeout(() => failed(new Error(`only ${bytes} of ${total}`)), 25_000).unref();
      look();
    });
    expect(bytes).toBe(total);
  });
});

describe.each([
  ['older', PROTOCOL - 1],
  ['newer', PROTOCOL + 1],
])('a session of an %s protocol', (_age, protocol) => {
  beforeEach(() => serve(protocol));

  test('can be looked at, halted, read, resumed and stopped; the rest says what to do', async () => {
    const session = await client();
    expect((await session.refresh()).status.state).toBe('running');
    expect((await session.breakIn(1_000)).outcome).toBe('done');
    await expect(session.command(['r'], { timeoutMs: 10 })).rejects.toThrow(
      /protocol.*only its state, read_output, break_in, continue_go and stop_kd work/,
    );
    await expect(session.pin(true)).rejects.toThrow('protocol');
    expect(rig.engine.asked).not.toContain('agent: r');
    expect((await session.read({ maxBytes: 100 })).end).toBe(0);
    expect((await session.go(0)).outcome).toBe('done');
    expect((await session.stop('resume')).guest).toBe('running');
  });
});
