/** The real program on Windows: client → launcher → host → kd (the simulator). Run by run.mjs with a Windows Node. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createSessions } from '../../../src/client/registry.ts';
import type { Sessions, StartOptions } from '../../../src/client/sessions.ts';
import { eventually, freePort, gone, lives } from './waiting.ts';

const here = import.meta.dirname;
const options = { timeout: 90_000 };
const port = await freePort();
const guest: StartOptions = {
  connection: { transport: 'net', port, key: '1.2.3.4' },
  kd: [process.execPath, join(here, 'app', 'simulator.js')],
};

/** As in the profile of somebody whose name no code page of the West can spell. */
function newHome(): string {
  return mkdtempSync(join(here, '김철수 home-'));
}

/** The sessions of a home of the test's own; whatever still runs when the test is over is ended. */
function sessionsFor(t: TestContext, home = newHome()): Sessions {
  const sessions = createSessions({
    home,
    identity: { kind: 'agent', name: 'windows test' },
    program: { command: process.execPath, script: join(here, 'app', 'cli.js') },
  });
  t.after(async () => {
    for (const record of await sessions.list()) process.kill(record.hostPid, 'SIGKILL');
    sessions.dispose();
  });
  return sessions;
}

test('a session is started, stopped, asked, resumed and ended', options, async (t) => {
  const sessions = sessionsFor(t);
  const { session } = await sessions.start(guest);
  await eventually('the link to the guest', () => session.info.status.linked || undefined);

  const broken = await session.breakIn(20_000);
  assert.deepEqual([broken.outcome, broken.info.status.state], ['done', 'broken'], JSON.stringify(broken));
  const { results } = await session.command(['.echo one', '.echo two'], { timeoutMs: 20_000 });
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['done', 'done'],
  );
  const { text } = await session.read({ from: 0, maxBytes: 20_000 });
  assert.match(text, /one\r?\n[\s\S]*two\r?\n/);
  assert.equal((await session.go(0)).outcome, 'done');

  const { hostPid, kdPid = 0 } = session.info;
  const stopped = await session.stop('resume');
  assert.equal(stopped.guest, 'running', stopped.detail);
  await gone(kdPid);
  await gone(hostPid);
  assert.deepEqual(await sessions.list(), []);
  const [record] = await sessions.ended();
  assert.deepEqual([record?.id, record?.ended?.guest], [session.id, 'running']);
});

test('the doctor tells whether Windows can be asked, and with what rights', options, async () => {
  const doctor = spawn(process.execPath, [join(here, 'app', 'cli.js'), 'doctor', '--home', newHome()]);
  let said = '';
  doctor.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(doctor, 'close');
  assert.match(said, /^ok {7}Windows: runs (as administrator|without)/m);
});

test('a second start of the same session joins the first', options, async (t) => {
  const sessions = sessionsFor(t);
  const first = await sessions.start(guest);
  const second = await sessions.start(guest);
  assert.deepEqual([first.existing, second.existing], [false, true]);
  assert.equal(second.session.info.hostPid, first.session.info.hostPid);
});

test(
  'when the host is killed kd ends with it, and the next look says that the guest is frozen',
  options,
  async (t) => {
    const sessions = sessionsFor(t);
    const { session } = await sessions.start(guest);
    await session.breakIn(20_000);
    const { hostPid, kdPid = 0 } = session.info;
    const closed = new Promise<void>((resolve) => session.onClose(resolve));
    process.kill(hostPid, 'SIGKILL');
    await closed;
    await gone(hostPid);
    await gone(kdPid);
    assert.deepEqual(await sessions.list(), []);
    const [record] = await sessions.ended();
    assert.equal(record?.ended?.guest, 'frozen', JSON.stringify(record));
  },
);

test(
  'a session outlives the client that started it, killed with everything it started',
  options,
  async (t) => {
    const home = newHome();
    const client = spawn(process.execPath, [join(here, 'client.mjs'), home, JSON.stringify(guest)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    await once(client.stdout, 'data');
    client.kill('SIGKILL');
    await once(client, 'exit');
    const session = await sessionsFor(t, home).open();
    assert.ok(lives(session.info.hostPid));
    assert.equal((await session.breakIn(20_000)).info.status.state, 'broken');
    assert.equal((await session.stop('resume')).guest, 'running');
  },
);

test('the program lists sessions, ends one, and serves MCP until its input ends', options, async (t) => {
  const sessions = sessionsFor(t);
  const { session } = await sessions.start(guest);
  assert.match(await program(sessions.home, ['sessions']), new RegExp(`net-${port}`));
  await program(sessions.home, ['stop']);
  await eventually('the end of the connection', () => (session.connected ? undefined : true));
  assert.match(await program(sessions.home, ['log', `net-${port}`, '--transcript']), /Waiting to reconnect/);
  assert.match(await program(sessions.home, ['log', `net-${port}`]), /ends session +qd/);

  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const answers = await program(sessions.home, ['serve'], `${JSON.stringify(hello)}\n`);
  assert.equal(JSON.parse(answers).result.protocolVersion, '2025-06-18');
});

/** What a subcommand prints; its input is empty unless given. */
async function program(home: string, args: readonly string[], input?: string): Promise<string> {
  const child = spawn(process.execPath, [join(here, 'app', 'cli.js'), ...args, '--home', home], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let printed = '';
  let complained = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    // An answer that came is all there is to wait for.
    if (input !== undefined) child.stdin.end();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text;
  });
  if (input !== undefined) child.stdin.write(input);
  else child.stdin.end();
  const slow = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = await once(child, 'close');
  clearTimeout(slow);
  assert.equal(code, 0, `${args.join(' ')}: ${complained} ${printed}`);
  return printed;
}
