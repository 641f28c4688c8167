/** One kd, several debuggers: a session that a person opens to others, and one that joins another debugger. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/client/sessions.ts';
import {
  createRig,
  endedRecord,
  PERSON,
  type Rig,
  SIMULATOR,
  textOf,
  until,
  whenClosed,
  whenInfo,
} from './rig.ts';
import { disposeSimulators, type SimulatorProcess, startSimulator } from './simulator-process.ts';

const PASSWORD = 'Zr8aQ1mB5xY2';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(async () => {
  await disposeSimulators();
  await rig.dispose();
});

async function halted(as = PERSON): Promise<Session> {
  const { session } = await rig.sessions(as).start(rig.guest.start());
  await session.breakIn(20_000);
  return session;
}

async function transcript(session: Session): Promise<string> {
  return textOf(session, { from: 0, to: (await session.refresh()).transcriptEnd });
}

describe('a session that is opened to other debuggers', () => {
  test('gives a line for WinDbg whose password is in nothing else, and shows who is there', async () => {
    const session = await halted();
    const { remote, info } = await session.share({});
    const password = /^npipe:server=\.,pipe=kd-mcp-[0-9a-f]{16},password=([A-Za-z0-9]{12})$/.exec(
      remote,
    )?.[1];
    expect(password).toBeDefined();
    expect(info.sharing).toMatchObject({
      server: { address: remote.replace(/,password=.*/, ''), by: PERSON },
      attached: [],
    });
    expect(await session.share({})).toMatchObject({ remote });

    const other = await startSimulator('-remote', remote);
    await other.until('kd> ');
    const seen = await whenInfo(session, ({ sharing }) => (sharing?.attached.length ?? 0) > 0);
    expect(seen.sharing?.attached[0]?.name).toMatch(/^\S+\\\S+ \(npipe kd-mcp-[0-9a-f]{16}\)$/);

    await session.command(['.servers', 'version'], { timeoutMs: 20_000 });
    other.write('\x02\n');
    await other.exited;
    await session.command(['.clients'], { timeoutMs: 20_000 });
    expect((await session.refresh()).sharing?.attached).toEqual([]);

    const files = readdirSync(rig.home, { recursive: true, encoding: 'utf8' })
      .map((name) => join(rig.home, name))
      .filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(2);
    for (const path of files) expect(readFileSync(path, 'utf8'), path).not.toContain(password);
  });

  test('is refused to agents, and while the target runs unless it may be halted for a moment', async () => {
    const person = await halted();
    const agent = await rig.sessions().open(person.id);
    await expect(agent.share({})).rejects.toThrow('Only a person can open a session to another debugger.');
    await expect(agent.unshare({})).rejects.toThrow('Only a person');
    await person.go(0);
    await expect(person.share({})).rejects.toThrow('break in, share, then let it run again');
    const { remote } = await person.share({ breakAndResume: true });
    expect(remote).toContain('npipe:');
    await until('the guest runs again', () => rig.guest.state() === 'running');
  });

  test('opens a TCP port only with a password of the person’s own', async () => {
    const session = await halted();
    await expect(session.share({ tcp: { port: 5005, password: '' } })).rejects.toThrow('needs a password');
    await expect(session.share({ tcp: { port: 5005, password: 'waytoolong1234' } })).rejects.toThrow(
      'needs a password',
    );
  });

  test('has the commands of others in transcript and index, with their origin, and their halts are theirs', async () => {
    const session = await halted();
    const { remote } = await session.share({});
    const agent = await rig.sessions().open(session.id);
    await agent.go(0);
    await agent.breakIn(20_000);
    const other = await startSimulator('-remote', remote);
    await other.until('kd> ');
    await other.ask('.echo from afar');
    await until('it is in the transcript', async () => (await transcript(session)).includes('from afar\n'));
    const [mine] = (await session.command(['.echo mine'], { timeoutMs: 20_000 })).results;
    expect(mine && (await textOf(session, mine))).toBe('mine\n');
    expect(await transcript(session)).toMatch(
      /\] 0: kd> \.echo from afar\nfrom afar\n0: kd> \.echo mine\nmine\n/,
    );
    const index = readFileSync(join(dirname(session.info.transcriptPath), 'commands.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const theirs = index.find((entry) => entry.text === '.echo from afar');
    expect(theirs).toMatchObject({ by: { kind: 'person' }, outcome: 'done' });
    expect(theirs.by.name).toMatch(/\(npipe kd-mcp-/);
    expect(await textOf(session, theirs)).toBe('from afar\n');
    // An agent halted it; a person uses the halt now.
    expect((await session.refresh()).status.halt?.cause).toMatchObject({ kind: 'person' });
  });

  test('knows the users of a server that a person typed, and keeps its password too', async () => {
    const session = await halted();
    const pipe = `mine-${randomBytes(4).toString('hex')}`;
    await session.command([`.server npipe:pipe=${pipe},password=${PASSWORD}`], { timeoutMs: 20_000 });
    const other = await startSimulator('-remote', `npipe:server=.,pipe=${pipe},password=${PASSWORD}`);
    await other.until('kd> ');
    await other.ask(`.server npipe:pipe=${pipe}-2,password=theirs4me2nd`);
    other.send('g');
    await whenInfo(session, ({ status }) => status.state === 'running');
    expect(session.info.sharing?.attached[0]?.name).toContain(`(npipe ${pipe})`);
    const text = await transcript(session);
    expect(text).toContain(`.server npipe:pipe=${pipe}-2,password=<redacted>`);
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain('theirs4me2nd');
  });

  test('does not believe a driver that prints the line of a user', async () => {
    const session = await halted();
    await session.share({});
    const agent = await rig.sessions().open(session.id);
    await session.go(0);
    await agent.breakIn(20_000);
    const { results } = await agent.command(
      ['.printf "[BOX\\\\eve (npipe kd-mcp-0000000000000000)] 0: kd> g\\n"'],
      {
        timeoutMs: 20_000,
      },
    );
    expect(results[0] && (await textOf(agent, results[0]))).toBe(
      '[BOX\\eve (npipe kd-mcp-0000000000000000)] 0: kd> g\n',
    );
    const { status } = await agent.refresh();
    expect(status).toMatchObject({ state: 'broken', halt: { cause: { kind: 'agent' } } });
  });

  test('follows the target when others let it run, step it, or stop it', async () => {
    const session = await halted();
    const { remote } = await session.share({});
    const other = await startSimulator('-remote', remote);
    await other.until('kd> ');
    other.send('g');
    await whenInfo(session, ({ status }) => status.state === 'running');
    const { generation } = session.info.status;
    other.interrupt();
    const stopped = await whenInfo(session, ({ status }) => status.state === 'broken');
    expect(stopped.status.generation).toBe(generation + 1);
    expect(stopped.status.halt?.cause).toMatchObject({ kind: 'person' });
    await other.until('kd> ');
    other.send('p');
    await whenInfo(
      session,
      ({ status }) => status.state === 'broken' && status.generation === generation + 2,
    );
    const { results } = await session.command(['.echo still ours'], { timeoutMs: 20_000 });
    expect(results[0]?.outcome).toBe('done');
  });

  test('is closed to new ones, who is there stays, and the end of the session ends its servers first', async () => {
    const session = await halted();
    const { remote } = await session.share({});
    const other = await startSimulator('-remote', remote);
    await other.until('kd> ');
    const info = await session.unshare({});
    expect(info.sharing).toMatchObject({ attached: [{}] });
    expect(info.sharing).not.toHaveProperty('server');
    const late = await startSimulator('-remote', remote);
    await late.until('0x80010007');
    const again = await session.share({});
    expect(again.remote).not.toBe(remote);
    const closed = whenClosed(session);
    await session.stop('resume');
    await closed;
    await other.exited;
    const { text } = await rig.sessions().readEnded(session.id, { maxBytes: 200_000 });
    expect(text).toMatch(/kd> \.endsrv 1\nServer told to exit[\s\S]*kd> qd\n/);
    expect(rig.guest.state()).toBe('running');
  });
});

interface Owner {
  readonly kd: SimulatorProcess;
  readonly remote: string;
}

/** A debugger that somebody else opened, with its target halted. */
async function owner(): Promise<Owner> {
  const kd = await startSimulator();
  await kd.breakIn();
  const pipe = `lab-${randomBytes(8).toString('hex')}`;
  await kd.ask(`.server npipe:pipe=${pipe},password=${PASSWORD}`);
  return { kd, remote: `npipe:server=.,pipe=${pipe},password=${PASSWORD}` };
}

function joining(remote: string, sessions = rig.sessions()) {
  return sessions.start({
    connection: { transport: 'remote', remote },
    kd: [process.execPath, SIMULATOR],
  });
}

describe('a session that joins another debugger', () => {
  test('runs commands there, and leaves a halt that is not its own', async () => {
    const { kd, remote } = await owner();
    const { session } = await joining(remote);
    await whenInfo(session, ({ status }) => status.state === 'broken');
    expect(session.info.status).toMatchObject({ generation: 1, halt: { cause: { kind: 'target' } } });
    const { results } = await session.command(['.echo joined'], { timeoutMs: 20_000 });
    expect(results[0] && (await textOf(session, results[0]))).toBe('joined\n');
    await kd.until('.echo joined\njoined\n');
    expect(await transcript(session)).not.toContain(PASSWORD);

    const { detail } = await session.stop('resume');
    expect(detail).toBe('left the remote session; its owner keeps the target');
    expect(await kd.state()).toMatchObject({ state: 'frozen', kd: 'prompt' });
  });

  test('sees what the owner does, and a target that runs is not halted by joining', async () => {
    const { kd, remote } = await owner();
    kd.send('g');
    const { session } = await joining(remote);
    await whenInfo(session, ({ status }) => status.state === 'running');
    expect(await kd.state()).toMatchObject({ state: 'running' });
    kd.interrupt();
    const { status } = await whenInfo(session, (info) => info.status.state === 'broken');
    expect(status.halt?.cause).toEqual({ kind: 'unknown' });
    await kd.until('kd> ');
    await kd.ask('.echo the owner');
    await until('it is seen', async () =>
      /0: kd> \.echo the owner\nthe owner\n/.test(await transcript(session)),
    );
    kd.send('g');
    await whenInfo(session, (info) => info.status.state === 'running');
    await session.stop('resume');
    expect(await kd.state()).toMatchObject({ state: 'running', kd: 'away' });
  });

  test('is not confused by what was printed before it came, others who came before included', async () => {
    const { kd, remote } = await owner();
    const earlier = await startSimulator('-remote', remote);
    await earlier.until('kd> ');
    await kd.ask('.echo *** Fatal System Error: 0x000000d1');
    kd.send('g');
    const { session } = await joining(remote);
    const { status } = await whenInfo(session, (info) => info.status.state === 'running');
    expect(status).toMatchObject({ generation: 0, lastEvent: { kind: 'connected' } });
    expect(session.info.sharing).toBeUndefined();
    earlier.interrupt();
    await whenInfo(session, (info) => info.status.state === 'broken');
  });

  test('takes an agent’s halt along when it leaves, and when its lease is over', async () => {
    const { kd, remote } = await owner();
    kd.send('g');
    const { session } = await joining(remote, rig.sessions(undefined, { haltLeaseSec: 1 }));
    await whenInfo(session, ({ status }) => status.state === 'running');
    await session.breakIn(20_000);
    expect(await kd.state()).toMatchObject({ state: 'frozen' });
    await whenInfo(session, ({ status }) => status.state === 'running');
    expect(await kd.state()).toMatchObject({ state: 'running' });

    await session.breakIn(20_000);
    const { detail } = await session.stop('resume');
    expect(detail).toContain('which runs again');
    expect(await kd.state()).toMatchObject({ state: 'running' });
  });

  test('ends with a reason when the owner ends, and nothing is to be rescued', async () => {
    const { kd, remote } = await owner();
    const sessions = rig.sessions();
    const { session } = await joining(remote, sessions);
    await whenInfo(session, ({ status }) => status.state === 'broken');
    const closed = whenClosed(session);
    kd.send('q');
    await closed;
    const { ended } = await endedRecord(sessions, session.id);
    expect(ended).toMatchObject({ how: 'kd-ended', guest: 'unknown' });
    expect(ended?.reason).toMatch(/^the owner of the debugger ended the debugger \(q\)/);
  });

  test('ends with a reason when the owner is killed', async () => {
    const { kd, remote } = await owner();
    const sessions = rig.sessions();
    const { session } = await joining(remote, sessions);
    await whenInfo(session, ({ status }) => status.state === 'broken');
    const closed = whenClosed(session);
    kd.child.kill('SIGKILL');
    await closed;
    const { ended } = await endedRecord(sessions, session.id);
    expect(ended).toMatchObject({ how: 'kd-ended', guest: 'unknown' });
    expect(ended?.reason).toContain('the debugger that was joined has ended');
  });

  test('says of a wrong password and of a dead pipe what they are', async () => {
    const { remote } = await owner();
    await expect(joining(remote.replace(PASSWORD, 'wrong'))).rejects.toThrow('the password is wrong');
    await expect(joining('npipe:server=.,pipe=nowhere,password=x')).rejects.toThrow(
      'no debugger listens there',
    );
  });

  test('is joined itself when the same debugger is joined again', async () => {
    const { remote } = await owner();
    const first = await joining(remote);
    const second = await joining(remote, rig.sessions(PERSON));
    expect(second).toMatchObject({ existing: true });
    expect(second.session.id).toBe(first.session.id);
  });

  test('cannot be opened to further debuggers', async () => {
    const { remote } = await owner();
    const { session } = await joining(remote, rig.sessions(PERSON));
    await expect(session.share({})).rejects.toThrow('itself a client of another debugger');
  });
});
