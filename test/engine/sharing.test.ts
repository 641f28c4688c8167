/** Several debuggers over Microsoft's engine: a session that is opened to others, and one that joins another debugger. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../src/client/sessions.ts';
import { AGENT, createRig, endedRecord, PERSON, textOf, until, whenClosed, whenInfo } from '../host/rig.ts';
import { kdProgram } from './engine.ts';
import { startGuest } from './guest.ts';
import { startKd, stoppedKd } from './kd.ts';

const PASSWORD = 'Zr8aQ1mB5xY2';
const PATIENCE_MS = 20_000;

async function rigged() {
  const rig = await createRig();
  onTestFinished(() => rig.dispose());
  return rig;
}

async function transcript(session: Session): Promise<string> {
  return textOf(session, { from: 0, to: (await session.refresh()).transcriptEnd });
}

test('a session that is opened to others shows them, follows what they do, and keeps the password to itself', async () => {
  const rig = await rigged();
  const guest = await startGuest();
  const { session } = await rig.sessions(PERSON).start({
    connection: { transport: 'net', port: guest.port, key: guest.key },
    kd: [kdProgram()],
  });
  await session.breakIn(PATIENCE_MS);
  const { remote } = await session.share({});
  const password = /password=(\w{12})$/.exec(remote)?.[1] ?? '?';

  const other = startKd(['-remote', remote]);
  await other.shows(/connected at [^\r]+\r\n/);
  await other.shows(/kd> /);
  await whenInfo(session, ({ sharing }) => sharing?.attached.length === 1);
  other.write('.echo from afar\n');
  await until('it is seen', async () => (await transcript(session)).includes('.echo from afar\nfrom afar\n'));
  const { results } = await session.command(['.echo mine', '.servers'], { timeoutMs: PATIENCE_MS });
  expect(results[0] && (await textOf(session, results[0]))).toBe('mine\n');
  const index = readFileSync(join(dirname(session.info.transcriptPath), 'commands.jsonl'), 'utf8');
  expect(index).toMatch(/"text":"\.echo from afar","by":\{"kind":"person","name":"[^"]+\(npipe kd-mcp-/);

  other.write('g\n');
  await guest.becomes('running');
  await whenInfo(session, ({ status }) => status.state === 'running');
  other.interrupt();
  const stopped = await whenInfo(session, ({ status }) => status.state === 'broken');
  expect(stopped.status.halt?.cause).toMatchObject({ kind: 'person' });

  await session.unshare({});
  other.write('\x02\n');
  await other.exited;
  await session.command(['.clients'], { timeoutMs: PATIENCE_MS });
  await until('nobody is there', async () => (await session.refresh()).sharing === undefined);
  expect(await transcript(session)).not.toContain(password);
  await session.stop('resume');
  await guest.becomes('running');
});

test('a session joins, halts and leaves the target of another debugger, which goes on', async () => {
  const rig = await rigged();
  const guest = await startGuest();
  const owner = await stoppedKd(guest);
  const pipe = `kdmcp-${randomBytes(8).toString('hex')}`;
  owner.write(`.server npipe:pipe=${pipe},password=${PASSWORD}\n`);
  await owner.shows(/Server started/);
  owner.write('g\n');
  await guest.becomes('running');

  const sessions = rig.sessions(AGENT);
  const remote = `npipe:server=.,pipe=${pipe},password=${PASSWORD}`;
  const { session } = await sessions.start({
    connection: { transport: 'remote', remote },
    kd: [kdProgram()],
  });
  await whenInfo(session, ({ status }) => status.state === 'running');
  expect(await guest.state()).toBe('running');
  await session.breakIn(PATIENCE_MS);
  expect(await guest.state()).toBe('frozen');
  const { results } = await session.command(['.echo joined', 'r rip'], { timeoutMs: PATIENCE_MS });
  expect(results[0] && (await textOf(session, results[0]))).toBe('joined\n');
  expect(results[1] && (await textOf(session, results[1]))).toMatch(/^rip=[0-9a-f]{16}\n$/);
  await owner.shows(/\.echo joined\r\njoined\r\n/);
  expect(await transcript(session)).not.toContain(PASSWORD);

  const { detail } = await session.stop('resume');
  expect(detail).toContain('which runs again');
  await guest.becomes('running');
  owner.interrupt();
  await owner.shows(/kd> $/);
});

test('a joined session says why it ended, and what a refusal was', async () => {
  const rig = await rigged();
  const guest = await startGuest();
  const owner = await stoppedKd(guest);
  const pipe = `kdmcp-${randomBytes(8).toString('hex')}`;
  owner.write(`.server npipe:pipe=${pipe},password=${PASSWORD}\n`);
  await owner.shows(/Server started/);
  const sessions = rig.sessions(AGENT);
  const remote = (password: string) => ({
    connection: { transport: 'remote' as const, remote: `npipe:server=.,pipe=${pipe},password=${password}` },
    kd: [kdProgram()] as [string],
  });
  await expect(sessions.start(remote('wrong'))).rejects.toThrow('the password is wrong');
  const { session } = await sessions.start(remote(PASSWORD));
  await whenInfo(session, ({ status }) => status.state === 'broken');
  const closed = whenClosed(session);
  owner.write('q\n');
  await closed;
  const { ended } = await endedRecord(sessions, session.id);
  expect(ended).toMatchObject({ guest: 'unknown', how: 'kd-ended' });
  expect(ended?.reason).toMatch(/ended the debugger|the debugger that was joined has ended/);
  await expect(sessions.start(remote(PASSWORD))).rejects.toThrow('no debugger listens there');
});
