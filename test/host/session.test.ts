import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createRig,
  endedRecord,
  gone,
  isAlive,
  KEY,
  kill,
  PERSON,
  type Rig,
  textOf,
  whenClosed,
  whenInfo,
} from './rig.ts';

describe('a session through launcher, host and client', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await createRig();
  });
  afterEach(() => rig.dispose());

  test('starts, halts the guest, runs commands, reads their output, lets the guest run and ends', async () => {
    const sessions = rig.sessions();
    const { session, existing } = await sessions.start(rig.guest.start());
    expect({ existing, id: session.id }).toEqual({ existing: false, id: `net-${rig.guest.port}` });

    const broken = await session.breakIn(20_000);
    expect(broken.outcome).toBe('done');
    expect(broken.info.status.halt?.cause).toEqual({ kind: 'agent', name: 'test-agent' });
    expect(rig.guest.state()).toBe('frozen');

    const { results } = await session.command(['r', '.echo hello', 'u nosuch!f'], { timeoutMs: 20_000 });
    expect(results.map((one) => one.outcome)).toEqual(['done', 'done', 'done']);
    const [registers, echo, wrong] = results;
    if (registers === undefined || echo === undefined || wrong === undefined)
      throw new Error('three results');
    expect(await textOf(session, registers)).toMatch(/^rax=[\s\S]*int {5}3\n$/);
    expect(await textOf(session, echo)).toBe('hello\n');
    expect(wrong.error).toContain('resolve error');
    expect((await session.read({ from: registers.from, maxBytes: 100_000, grep: 'RIP=' })).text).toMatch(
      /^rip=/,
    );

    const going = await session.go(0);
    expect(going.outcome).toBe('done');
    expect(going.haltedMs).toBeGreaterThan(0);
    expect(rig.guest.state()).toBe('running');

    const closed = whenClosed(session);
    const stopped = await session.stop('resume');
    expect(stopped.guest).toBe('running');
    await closed;
    const record = await endedRecord(sessions, session.id);
    expect(record.ended).toMatchObject({ guest: 'running', how: 'stopped' });
    expect(record.token).toBe('');
    await gone(record.hostPid);
    expect(await sessions.list()).toEqual([]);
    expect((await sessions.readEnded(session.id, { maxBytes: 100_000 })).text).toContain(
      'kd> .echo hello\nhello\n',
    );
  });

  const record = (id: string): string => join(rig.home, 'sessions', `${id}.json`);

  test('the key is in no file of the home, and the files are their owner’s only', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await session.breakIn(20_000);
    await session.command(['version'], { timeoutMs: 20_000 });
    const guest = join(rig.home, 'guest.json');
    const files = (): string[] =>
      readdirSync(rig.home, { recursive: true, encoding: 'utf8' })
        .map((name) => join(rig.home, name))
        .filter((path) => path !== guest && !path.endsWith('.tmp') && statSync(path).isFile());
    const own = [record(session.id), session.info.transcriptPath];
    expect(files()).toEqual(expect.arrayContaining(own));
    for (const path of files()) {
      expect(readFileSync(path, 'utf8'), path).not.toContain(KEY);
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o077, path).toBe(0);
    }
    expect(JSON.stringify(session.info)).not.toContain(KEY);
    if (process.platform !== 'win32') expect(statSync(dirname(record(session.id))).mode & 0o077).toBe(0);
    kill(session.info.hostPid);
    await endedRecord(rig.sessions(), session.id);
    for (const path of files()) expect(readFileSync(path, 'utf8'), path).not.toContain(KEY);
  });

  test('the index beside the transcript says who ran what and where its output is', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await session.breakIn(20_000);
    const { results } = await session.command(['.echo one'], { timeoutMs: 20_000 });
    const lines = readFileSync(join(dirname(session.info.transcriptPath), 'commands.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const { from, to, seq } = results[0] ?? { from: 0, to: 0, seq: 0 };
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      seq,
      text: '.echo one',
      by: { kind: 'agent', name: 'test-agent' },
      from,
      to,
      outcome: 'done',
    });
  });

  test('two clients share it: each sees the other, and the other’s commands', async () => {
    const agent = await rig.sessions().start(rig.guest.start());
    const person = await rig.sessions(PERSON).open();
    const seen: { text: string; role: unknown }[] = [];
    await person.follow(0, ({ text, role }) => seen.push({ text, role }));
    await whenInfo(agent.session, (info) => info.clients.length === 2);
    await agent.session.breakIn(20_000);
    await whenInfo(person, (info) => info.status.state === 'broken');
    await agent.session.command(['.echo from the agent'], { timeoutMs: 20_000 });
    const { transcriptEnd } = await person.refresh();
    expect(Buffer.byteLength(seen.map((piece) => piece.text).join(''))).toBe(transcriptEnd);
    expect(seen).toContainEqual({
      text: '.echo from the agent\n',
      role: { kind: 'command', by: { kind: 'agent', name: 'test-agent' }, seq: 1 },
    });
    agent.session.dispose();
    await whenInfo(person, (info) => info.clients.length === 1);
    expect(person.info.clients[0]?.identity).toEqual(PERSON);
    expect(person.info.status.state).toBe('broken');
  });

  test('starting what runs already joins it, also when two start at the same moment', async () => {
    const both = await Promise.all([
      rig.sessions().start(rig.guest.start()),
      rig.sessions(PERSON).start(rig.guest.start()),
    ]);
    expect(both.map((one) => one.session.id)).toEqual([`net-${rig.guest.port}`, `net-${rig.guest.port}`]);
    expect(both.map((one) => one.existing).sort()).toEqual([false, true]);
    const [one, other] = both;
    expect(one?.session.info.hostPid).toBe(other?.session.info.hostPid);
    expect((await rig.sessions().start(rig.guest.start())).existing).toBe(true);
  });

  test('simulated sessions are never the same one', async () => {
    const sessions = rig.sessions();
    const connection = { transport: 'simulator', scenario: 'idle' } as const;
    const first = await sessions.start({ connection });
    const second = await sessions.start({ connection });
    expect([first.session.id, second.session.id]).toEqual(['sim-1', 'sim-2']);
    await expect(sessions.open()).rejects.toThrow(/sim-1 .*sim-2.*session_id/);
    expect((await sessions.open('sim-2')).id).toBe('sim-2');
  });

  test('a stop at connect is the halt of whoever started the session', async () => {
    const { session } = await rig.sessions(PERSON).start({ ...rig.guest.start(), breakOnConnect: true });
    const info = await whenInfo(session, (now) => now.status.state === 'broken');
    expect(info.status.halt?.cause).toEqual(PERSON);
    expect(info.leaseEndsAt).toBeUndefined();
  });

  test('a person can pin a halt and take control; an agent may then only look', async () => {
    const { session: agent } = await rig.sessions().start(rig.guest.start());
    const person = await rig.sessions(PERSON).open();
    await agent.breakIn(20_000);
    expect(agent.info.leaseEndsAt).toBeGreaterThan(Date.now());
    await expect(agent.pin(true)).rejects.toThrow('Only a person');
    expect(await person.pin(true)).toMatchObject({ pinnedBy: 'Minsu' });
    expect(person.info.leaseEndsAt).toBeUndefined();
    await person.control(true);
    await expect(agent.command(['r'], { timeoutMs: 1_000 })).rejects.toThrow('Minsu has taken control');
    await expect(agent.go(0)).rejects.toThrow('Minsu has taken control');
    await expect(agent.stop('resume')).rejects.toThrow('Minsu has taken control');
    expect((await agent.read({ maxBytes: 100 })).text).not.toBe('');
    expect((await agent.waitForBreak({ timeoutMs: 10 })).outcome).toBe('already');
    await person.control(false);
    expect((await agent.command(['.echo again'], { timeoutMs: 20_000 })).results[0]?.outcome).toBe('done');
  });

  test('SIGTERM to the host resumes the guest and ends the session', async ({ skip }) => {
    skip(process.platform === 'win32', 'there is no SIGTERM: it ends the process');
    const sessions = rig.sessions();
    const { session } = await sessions.start(rig.guest.start());
    await session.breakIn(20_000);
    const { hostPid, kdPid } = session.info;
    process.kill(hostPid, 'SIGTERM');
    await gone(hostPid);
    expect(kdPid !== undefined && isAlive(kdPid)).toBe(false);
    expect(rig.guest.state()).toBe('running');
    expect((await endedRecord(sessions, session.id)).ended).toMatchObject({
      guest: 'running',
      how: 'stopped',
    });
  });

  test('nothing of a session that ended is left but its record and transcript', async () => {
    const sessions = rig.sessions();
    const { session } = await sessions.start(rig.guest.start());
    const { socket } = (await sessions.list())[0] ?? { socket: '' };
    expect(existsSync(socket)).toBe(true);
    const folder = dirname(session.info.transcriptPath);
    await session.stop('resume');
    await gone(session.info.hostPid);
    expect(existsSync(socket)).toBe(false);
    expect(existsSync(join(folder, 'kd'))).toBe(false);
    expect(existsSync(session.info.transcriptPath)).toBe(true);
  });
});
