/** Exit paths of clients and halts: who halted the guest, who is gone, what becomes of it. See ARCHITECTURE.md. */
import { expect, onTestFinished } from 'vitest';
import { findRescuable } from '../../src/client/rescue.ts';
import { coreRig, AGENT as FAKE_AGENT, settled } from '../unit/host/core-rig.ts';
import { FakeClock } from '../unit/host/fake-clock.ts';
import {
  AFTER_A_SECOND_MS,
  AT_ONCE_MS,
  exit,
  GRACE,
  halted,
  LEASE,
  outlasted,
  runsWithin,
  SHORT,
  staysFrozen,
} from './exit-rig.ts';
import { killableClient } from './killable-client.ts';
import { AGENT, endedRecord, PERSON, type Rig, until, whenInfo } from './rig.ts';

const recordOf = async (rig: Rig) => (await rig.sessions().list())[0];

exit("an agent's client closes", async (rig) => {
  const { agent } = await halted(rig, GRACE);
  agent.dispose();
  await runsWithin(rig, AFTER_A_SECOND_MS);
  await until('the record says so', async () => (await recordOf(rig))?.state === 'running');
});

exit("an agent's client is killed", async (rig) => {
  const start = rig.guest.start();
  const client = await killableClient({ home: rig.home, start, orphanGraceSec: 1, first: 'r' });
  expect(rig.guest.state()).toBe('frozen');
  client.kill('SIGKILL');
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

exit('a window is closed, or its extension host is killed', async (rig) => {
  const { agent } = await halted(rig, GRACE);
  const start = rig.guest.start();
  const window = await killableClient({ home: rig.home, start, identity: PERSON, orphanGraceSec: 1 });
  agent.dispose();
  await staysFrozen(rig);
  window.kill('SIGKILL');
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

exit('an agent does nothing with its halt', async (rig) => {
  const { session } = await halted(rig, LEASE);
  await runsWithin(rig, AFTER_A_SECOND_MS);
  expect((await session.read({ maxBytes: 100_000 })).text).toContain('Nobody used this halt for 1 s');
});

exit('an agent that asked for a stop at connect is gone when the guest is there', async (rig) => {
  const agent = rig.sessions(AGENT, GRACE);
  const { session } = await agent.start(rig.guest.start('no-target', rig.guest.control));
  expect((await session.breakIn(0)).outcome).toBe('pending');
  agent.dispose();
  await until('nobody is there', async () => (await recordOf(rig))?.state === 'waiting');
  await rig.guest.tell('appear');
  await until('it was stopped', () => rig.guest.breaks() > 0, AT_ONCE_MS);
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

exit("kd waits for an answer in an agent's halt, and the agent is gone", async (rig) => {
  const { agent, session } = await halted(rig, GRACE);
  const { results } = await session.command(['eb nt!NtBuildLab'], { timeoutMs: 20_000 });
  expect(results[0]?.outcome).toBe('asking');
  agent.dispose();
  await runsWithin(rig, AFTER_A_SECOND_MS + 10_000);
});

exit("agents' breakpoints are set and everybody is gone", async (rig) => {
  const { agent, session } = await halted(rig, GRACE, 'breakpoint');
  await session.command(['.reload', 'bp mydriver!MyDispatch'], { timeoutMs: 20_000 });
  await session.go(0);
  await whenInfo(session, ({ status }) => status.halt?.event.kind === 'breakpoint');
  agent.dispose();
  await runsWithin(rig, AFTER_A_SECOND_MS);
  expect(rig.guest.patched()).toEqual([]);
  await outlasted();
  expect(rig.guest.state()).toBe('running');
});

exit('a person halted it', async (rig) => {
  const person = rig.sessions(PERSON, SHORT);
  const { session } = await person.start(rig.guest.start());
  await session.breakIn(20_000);
  person.dispose();
  await staysFrozen(rig);
  expect((await recordOf(rig))?.halt?.cause).toEqual(PERSON);
});

exit('a person pinned it', async (rig) => {
  const { agent } = await halted(rig, { ...SHORT, haltLeaseSec: 300 });
  const person = rig.sessions(PERSON);
  await (await person.open()).pin(true);
  agent.dispose();
  person.dispose();
  await staysFrozen(rig);
  expect((await recordOf(rig))?.pinned).toBe(true);
});

exit('the target halted by itself', async (rig) => {
  const { agent, session } = await halted(rig, SHORT, 'idle', rig.guest.control);
  await session.command(['sxe ld:otherdrv'], { timeoutMs: 20_000 });
  await session.go(0);
  await rig.guest.tell('load otherdrv');
  await whenInfo(session, ({ status }) => status.halt?.event.kind === 'module-load');
  agent.dispose();
  await staysFrozen(rig);
  expect((await recordOf(rig))?.halt?.cause).toEqual({ kind: 'target' });
});

exit('the guest crashed (bugcheck)', async (rig) => {
  const agent = rig.sessions(AGENT, SHORT);
  const { session } = await agent.start(rig.guest.start('bugcheck'));
  await whenInfo(session, ({ status }) => status.halt?.event.kind === 'bugcheck');
  // An agent that looks at the crash does not put it on a lease either.
  await session.command(['.bugcheck'], { timeoutMs: 20_000 });
  agent.dispose();
  await staysFrozen(rig);
  expect((await (await rig.sessions().open()).refresh()).status.halt?.event.kind).toBe('bugcheck');
});

exit('the machine sleeps', async () => {
  const clock = new FakeClock();
  const rig = coreRig('running', clock);
  onTestFinished(() => rig.dispose());
  rig.client(FAKE_AGENT);
  rig.engine.stop(FAKE_AGENT);
  clock.pass(200_000);
  clock.sleep(8 * 3_600_000, true);
  clock.pass(290_000);
  await settled();
  expect(rig.engine.status.state).toBe('broken');
  clock.pass(20_000);
  await settled();
  expect(rig.engine.status.state).toBe('running');
});

exit('stop_kd ends the session', async (rig) => {
  const { session } = await halted(rig, GRACE);
  await session.command(['bp nt!NtClose'], { timeoutMs: 20_000 });
  await session.go(0);
  expect(rig.guest.patched()).toHaveLength(1);
  expect((await session.stop('resume')).guest).toBe('running');
  expect([rig.guest.state(), rig.guest.patched()]).toEqual(['running', []]);
});

exit('stop_kd leaves it frozen, on a word that says so', async (rig) => {
  const { session } = await halted(rig, GRACE);
  expect((await session.stop('leave_frozen')).guest).toBe('frozen');
  expect((await endedRecord(rig.sessions(), session.id)).ended).toMatchObject({ how: 'stopped' });
  expect(await findRescuable(rig.sessions())).toEqual([]);
  await staysFrozen(rig);
});

exit('a person types q', async (rig) => {
  const { session } = await halted(rig, GRACE);
  const person = await rig.sessions(PERSON).open();
  await person.command(['q'], { timeoutMs: 20_000 });
  const { ended } = await endedRecord(rig.sessions(), session.id);
  expect(ended).toMatchObject({ guest: 'frozen', how: 'stopped' });
  await staysFrozen(rig);
});

exit('a person types qd', async (rig) => {
  const { session } = await halted(rig, GRACE);
  const person = await rig.sessions(PERSON).open();
  await person.command(['qd'], { timeoutMs: 20_000 });
  const { ended } = await endedRecord(rig.sessions(), session.id);
  expect(ended).toMatchObject({ guest: 'running', how: 'stopped' });
  await runsWithin(rig, AT_ONCE_MS);
});

exit('an agent types q, qd or .kill', async (rig) => {
  const { agent, session } = await halted(rig, GRACE);
  for (const line of ['q', 'qq', 'qd', '.kill', '.detach', 'k; q', '.if (1) { q }'])
    await expect(session.command([line], { timeoutMs: 20_000 })).rejects.toThrow(/ends the session.*stop_kd/);
  expect((await session.refresh()).status.state).toBe('broken');
  agent.dispose();
  await runsWithin(rig, AFTER_A_SECOND_MS);
});
