/** What is left when something is killed, taken away or held by somebody else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRescuable, rescue } from '../../src/client/rescue.ts';
import { DEFAULT_LIMITS, type HostStart } from '../../src/host/protocol.ts';
import { killableClient } from './killable-client.ts';
import {
  AGENT,
  CLI,
  createRig,
  endedRecord,
  gone,
  isAlive,
  KEY,
  kill,
  PERSON,
  type Rig,
  UNRESTRICTED,
  until,
  whenClosed,
  whenInfo,
} from './rig.ts';

let rig: Rig;
const children: ChildProcess[] = [];
beforeEach(async () => {
  rig = await createRig();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rig.dispose();
});

/** A client process that halts the guest. */
function clientProcess(
  first: string,
  lines: readonly string[],
  orphanGraceSec: number,
): Promise<ChildProcess> {
  return killableClient({ home: rig.home, start: rig.guest.start(), orphanGraceSec, first, lines });
}

describe('kill -9 of a client', () => {
  test('leaves the session: the guest is still halted, another client goes on', async () => {
    const child = await clientProcess('.echo hello', ['.echo more'], 60);
    const person = await rig.sessions(PERSON).open();
    child.kill('SIGKILL');
    const info = await whenInfo(person, (now) => now.clients.length === 1);
    expect(info.status.state).toBe('broken');
    expect(info.status.halt?.cause).toEqual({ kind: 'agent', name: 'killed-client' });
    expect((await person.command(['.echo there'], { timeoutMs: 20_000 })).results[0]?.outcome).toBe('done');
  });

  test('in the middle of a call leaves the command running, and its output is read by whoever comes', async () => {
    const child = await clientProcess('r', ['.sleep 3e8', '.echo after it'], 60);
    const person = await rig.sessions(PERSON).open();
    await whenInfo(person, (now) => now.status.command?.text === '.sleep 3e8');
    child.kill('SIGKILL');
    await whenInfo(person, (now) => now.clients.length === 1);
    expect(person.info.status.state).toBe('busy');
    await until('the unit has run to its end', async () =>
      (await person.read({ maxBytes: 100_000 })).text.includes('\nafter it\n'),
    );
  });
});

describe('kill -9 of the launcher', () => {
  test('leaves the host, and the session is found', async () => {
    const start: HostStart = {
      home: rig.home,
      id: 'silent',
      connection: { transport: 'net', port: rig.guest.port, key: KEY },
      // A debugger that never says anything: the launcher waits for the answer.
      kd: [process.execPath, '-e', 'setInterval(() => {}, 1000)', '--'],
      startedBy: AGENT,
      breakOnConnect: false,
      startupTimeoutSec: 30,
      haltLeaseSec: 300,
      orphanGraceSec: 60,
      limits: DEFAULT_LIMITS,
    };
    const launcher = spawn(process.execPath, [CLI, 'launch'], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(launcher);
    launcher.stdin.end(JSON.stringify(start));
    const sessions = rig.sessions();
    await until('the record is there, with kd', async () => (await sessions.list())[0]?.kdPid !== undefined);
    launcher.kill('SIGKILL');
    await gone(launcher.pid ?? 0);
    const session = await sessions.open('silent');
    expect(session.info.status.state).toBe('starting');
    const { kdPid, hostPid } = session.info;
    expect((await session.stop('resume')).guest).toBe('none');
    await gone(hostPid);
    await gone(kdPid ?? 0);
  });
});

describe('kill -9 of the host', () => {
  async function killedHost(): Promise<{ readonly id: string }> {
    const sessions = rig.sessions();
    const { session } = await sessions.start({ ...rig.guest.start(), stateFile: rig.guest.stateFile() });
    await session.breakIn(20_000);
    await session.command(['.echo before'], { timeoutMs: 20_000 });
    await until('the record says broken', async () => (await sessions.list())[0]?.halt !== undefined);
    const { hostPid, kdPid } = session.info;
    const closed = whenClosed(session);
    kill(hostPid);
    await closed;
    await gone(hostPid);
    await gone(kdPid ?? 0);
    expect(rig.guest.state()).toBe('frozen');
    return { id: session.id };
  }

  test('takes kd along, leaves the guest frozen and says so; the transcript stays readable', async () => {
    const { id } = await killedHost();
    const sessions = rig.sessions();
    const record = await endedRecord(sessions, id);
    expect(record.ended).toMatchObject({ guest: 'frozen', how: 'host-gone' });
    expect(existsSync(record.socket)).toBe(false);
    expect((await sessions.readEnded(id, { maxBytes: 100_000 })).text).toContain(
      'kd> .echo before\nbefore\n',
    );
    await expect(sessions.open(id)).rejects.toThrow(
      /ended unexpectedly.*stays frozen.*read_output\(session_id=/,
    );
  });

  test('is followed by a rescue: the key comes from the state file, the guest runs, the port is free', async () => {
    const { id } = await killedHost();
    const sessions = rig.sessions(PERSON);
    expect((await findRescuable(sessions)).map((one) => [one.record.id, one.ask])).toEqual([[id, undefined]]);
    const reports = await rescue(sessions);
    expect(reports).toEqual([
      { id, outcome: 'resumed', detail: `The guest of session ${id} was frozen and runs again.` },
    ]);
    expect(rig.guest.state()).toBe('running');
    expect(await findRescuable(sessions)).toEqual([]);
    expect(await sessions.list()).toEqual([]);
    const again = await sessions.start(rig.guest.start());
    expect(again.existing).toBe(false);
  });

  test('is followed by a rescue that needs no rescuer once its kd runs', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await session.breakIn(20_000);
    kill(session.info.hostPid);
    await endedRecord(rig.sessions(), session.id);
    expect(rig.guest.state()).toBe('frozen');
    const dying = rig.sessions(AGENT, { orphanGraceSec: 1 });
    await dying.start({ ...rig.guest.start(), rescues: true });
    dying.dispose();
    await until('the guest runs', () => rig.guest.state() === 'running');
  });
});

test('kill -9 of kd ends the session: exit code, what the target did, and the last output are kept', async () => {
  const sessions = rig.sessions(AGENT, { limits: UNRESTRICTED });
  const { session } = await sessions.start(rig.guest.start());
  await session.breakIn(20_000);
  const pending = session.command(['.sleep 100000'], { timeoutMs: 30_000 });
  await whenInfo(session, (info) => info.status.state === 'busy');
  const closed = whenClosed(session);
  kill(session.info.kdPid ?? 0);
  expect((await pending).results[0]?.outcome).toBe('ended');
  await closed;
  // 128 + SIGKILL; Windows gives what TerminateProcess is told.
  const code = process.platform === 'win32' ? 1 : 137;
  expect(session.info.status.exit).toMatchObject({ code, target: 'halted' });
  const record = await endedRecord(sessions, session.id);
  expect(record.ended).toMatchObject({ guest: 'frozen', how: 'kd-ended' });
  expect(record.ended?.reason).toMatch(new RegExp(`exit code ${code}.*The target was halted when kd ended`));
  expect((await sessions.readEnded(session.id, { from: -300, maxBytes: 300 })).text).toContain(
    '.sleep 100000',
  );
  await gone(session.info.hostPid);
  await expect(session.refresh()).rejects.toThrow('its host has ended');
});

test('a busy port is told in kd’s own words, with what to do, and leaves no session', async () => {
  const holder = createSocket('udp4');
  await new Promise<void>((bound) =>
    holder.bind({ port: rig.guest.port, address: '127.0.0.1', exclusive: true }, bound),
  );
  try {
    const sessions = rig.sessions();
    const failure = await sessions.start(rig.guest.start()).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(failure).toContain(`Port ${rig.guest.port} already in use by another process`);
    expect(failure).toContain('0x80004005');
    expect(failure).not.toContain(KEY);
    expect(await sessions.list()).toEqual([]);
    const [record] = await sessions.ended();
    expect(record?.ended?.guest).toBe('none');
    expect((await sessions.readEnded(record?.id ?? '', { maxBytes: 100_000 })).text).toContain(
      'already in use',
    );
  } finally {
    await new Promise<void>((closed) => {
      holder.close(closed);
    });
  }
  expect((await rig.sessions().start(rig.guest.start())).existing).toBe(false);
});

test('one session started at the same moment by two processes is one: one host, one kd, both are in it', async () => {
  const ids = await Promise.all([
    clientProcess('.echo one', ['r'], 60),
    clientProcess('.echo two', ['r'], 60),
  ]);
  expect(ids).toHaveLength(2);
  const sessions = rig.sessions(PERSON);
  const live = await sessions.list();
  expect(live.map((record) => record.id)).toEqual([`net-${rig.guest.port}`]);
  expect(await sessions.ended()).toEqual([]);
  const session = await sessions.open();
  expect(session.info.clients.map(({ identity }) => identity.name)).toEqual([
    'killed-client',
    'killed-client',
    PERSON.name,
  ]);
  const { text } = await session.read({ maxBytes: 100_000 });
  expect(text.match(/Microsoft \(R\) Windows Debugger/g)).toHaveLength(1);
  expect(text).toMatch(/\none\n/);
  expect(text).toMatch(/\ntwo\n/);
});

test('what runs already is joined without a kd.exe of one’s own', async () => {
  const { session } = await rig.sessions(PERSON).start(rig.guest.start());
  const { connection } = rig.guest.start();
  const joined = await rig.sessions().start({ connection });
  expect(joined).toMatchObject({ existing: true, session: { id: session.id } });
});

test('what runs already with another key says so', async () => {
  const { connection } = rig.guest.start();
  if (connection.transport !== 'net') throw new Error('The rig is on KDNET.');
  const sessions = rig.sessions();
  await sessions.start(rig.guest.start());
  expect((await sessions.start({ connection })).otherKey).toBeUndefined();
  expect((await sessions.start({ connection: { ...connection, key: '9.9.9.9' } })).otherKey).toBe(true);
});

test('a debugger that does not exist leaves nothing and is named', async () => {
  const sessions = rig.sessions();
  const start = { ...rig.guest.start(), kd: ['/no/such/kd.exe'] as const };
  await expect(sessions.start(start)).rejects.toThrow(/kd\.exe did not start a session.*ENOENT/s);
  expect(await sessions.list()).toEqual([]);
});

test('a start that fails quotes what kd said, and not its banner', async () => {
  const connection = { transport: 'raw', k: 'foo:bar' } as const;
  const raw = rig.sessions().start({ ...rig.guest.start(), connection });
  await expect(raw).rejects.toThrow(/It said:\nKernel debugger failed initialization/);
  const simulated = rig.sessions().start({ connection: { transport: 'simulator', scenario: 'nope' } });
  await expect(simulated).rejects.toThrow(
    /^The simulated kd did not start a session.*There is no scenario 'nope'\. Scenarios: idle,/s,
  );
});

test('a wrong key is refused before kd sees it', async () => {
  const sessions = rig.sessions();
  const connection = { transport: 'net', port: rig.guest.port, key: 'nonsense' } as const;
  const failure = sessions.start({ ...rig.guest.start(), connection });
  await expect(failure).rejects.toThrow(/key/);
  await expect(failure).rejects.not.toThrow(/nonsense/);
  expect(await sessions.ended()).toEqual([]);
});

test('deleting the program’s folder leaves a live session working; a new one gets a clear message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kdp-'));
  cpSync(resolve('src'), join(folder, 'src'), { recursive: true });
  cpSync(resolve('package.json'), join(folder, 'package.json'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  const program = { command: process.execPath, script: join(folder, 'src', 'cli.ts') };
  const sessions = rig.sessions(AGENT, { program });
  const { session } = await sessions.start(rig.guest.start());
  rmSync(folder, { recursive: true, force: true });
  expect((await session.breakIn(20_000)).outcome).toBe('done');
  const { results } = await session.command(['k', 'bp nt!NtCreateFile', 'bl'], { timeoutMs: 20_000 });
  expect(results.map((one) => one.outcome)).toEqual(['done', 'done', 'done']);
  expect((await session.read({ maxBytes: 8_000, grep: 'nt!(Ki|Ke)' })).text).toContain('nt!KiIdleLoop');
  expect((await session.go(0)).outcome).toBe('done');
  await expect(sessions.start({ connection: { transport: 'simulator', scenario: 'idle' } })).rejects.toThrow(
    /program is gone.*reload the window or restart the MCP server/,
  );
  const { hostPid } = session.info;
  expect((await session.stop('resume')).guest).toBe('running');
  await gone(hostPid);
  expect((await endedRecord(sessions, session.id)).ended?.guest).toBe('running');
});

test('a record that is left of a host whose pid is another process now is moved, and its id is free', async () => {
  const sessions = rig.sessions();
  const { session } = await sessions.start(rig.guest.start());
  const [record] = await sessions.list();
  kill(session.info.hostPid);
  await gone(session.info.hostPid);
  await gone(session.info.kdPid ?? 0);
  await endedRecord(sessions, session.id);
  writeFileSync(
    join(rig.home, 'sessions', `${session.id}.json`),
    JSON.stringify({ ...record, hostPid: process.pid, startedAt: 7 }),
  );
  expect(await sessions.list()).toEqual([]);
  const again = await sessions.start(rig.guest.start());
  expect(again.session.id).toBe(session.id);
  expect(isAlive(again.session.info.hostPid)).toBe(true);
});

test('a host that is there and does not answer is no reason to move its record', async ({ skip }) => {
  skip(process.platform === 'win32', 'a named pipe cannot be deleted');
  const sessions = rig.sessions();
  const { session } = await sessions.start(rig.guest.start());
  const [record] = await sessions.list();
  rmSync(record?.socket ?? '');
  await expect(rig.sessions().open()).rejects.toThrow(/does not answer \(ENOENT; process \d+ is there\)/);
  expect((await sessions.list()).length).toBe(1);
  await session.stop('resume');
});

test('deleting the home under a live session does not keep it from ending: the guest is resumed, nothing is left', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'files that are open cannot be deleted');
  const { session } = await rig.sessions().start(rig.guest.start());
  await session.breakIn(20_000);
  await session.command(['r'], { timeoutMs: 20_000 });
  const { hostPid, kdPid } = session.info;
  for (const folder of ['sessions', 'transcripts', 'run'])
    rmSync(join(rig.home, folder), { recursive: true });
  const { results } = await session.command(['.echo still here'], { timeoutMs: 20_000 });
  expect(results[0]?.outcome).toBe('done');
  expect((await session.stop('resume')).guest).toBe('running');
  await gone(hostPid);
  await gone(kdPid ?? 0);
  expect(rig.guest.state()).toBe('running');
});
