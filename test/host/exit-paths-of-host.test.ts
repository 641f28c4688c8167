/** Exit paths of the session host: killed, told to end, failing. See ARCHITECTURE.md. */
import { expect, onTestFinished } from 'vitest';
import { openBackstage } from '../../src/backstage.ts';
import { findRescuable, rescue } from '../../src/client/rescue.ts';
import { AutoRescue } from '../../src/ui/auto-rescue.ts';
import { LiveSessions } from '../../src/ui/live-sessions.ts';
import {
  AT_ONCE_MS,
  exit,
  GRACE,
  halted,
  haltedByAgent,
  killed,
  RESCUE_MS,
  runsWithin,
  serve,
} from './exit-rig.ts';
import { AGENT, CLI, endedRecord, KEY, PERSON, until } from './rig.ts';
import { call } from './serve-process.ts';

exit('the host is killed while the guest is halted: an agent comes', async (rig) => {
  await killed(await haltedByAgent(rig), 'host');
  expect(rig.guest.state()).toBe('frozen');
  serve(rig).send(call(2, 'list_sessions'));
  await runsWithin(rig, RESCUE_MS);
});

exit('the host is killed while the guest is halted: a window is open', async (rig) => {
  const live = new LiveSessions(rig.sessions(PERSON), () => {});
  const identity = PERSON;
  const program = async () => ({ command: process.execPath, script: CLI });
  const settings = { stateFile: rig.guest.stateFile() };
  const told: string[] = [];
  const auto = new AutoRescue({
    sessions: live,
    backstage: async () => openBackstage({ home: rig.home, identity, program, settings }),
    keptKey: async () => undefined,
    tell: (id) => told.push(id),
    onProblem: (problem) => told.push(problem),
  });
  onTestFinished(() => {
    auto.dispose();
    live.dispose();
  });
  const session = await haltedByAgent(rig);
  await live.refresh();
  await killed(session, 'host');
  await runsWithin(rig, RESCUE_MS);
  await auto.idle;
  expect(told).toEqual([session.id]);
});

exit('the host is killed while a person, a pin or a crash holds the halt', async (rig) => {
  const person = rig.sessions(PERSON);
  const { session } = await person.start({ ...rig.guest.start(), stateFile: rig.guest.stateFile() });
  await session.breakIn(20_000);
  await until('the record says so', async () => (await person.list())[0]?.halt !== undefined);
  await killed(session, 'host');
  await endedRecord(person, session.id);
  expect(await rescue(rig.sessions(AGENT))).toMatchObject([{ outcome: 'ask', detail: /Minsu halted it/ }]);
  expect(rig.guest.state()).toBe('frozen');
  expect(await rescue(person, { id: session.id })).toMatchObject([{ outcome: 'resumed' }]);
  expect(rig.guest.state()).toBe('running');
});

exit('the host is killed and no key is known', async (rig) => {
  const { agent, session } = await halted(rig, GRACE);
  await until('the record says so', async () => (await agent.list())[0]?.halt !== undefined);
  await killed(session, 'host');
  await endedRecord(agent, session.id);
  expect(await rescue(agent)).toMatchObject([{ outcome: 'ask', detail: expect.stringContaining('key') }]);
  expect(rig.guest.state()).toBe('frozen');
  expect(await rescue(agent, { id: session.id, key: KEY })).toMatchObject([{ outcome: 'resumed' }]);
  expect(rig.guest.state()).toBe('running');
});

exit('the host is killed while the guest runs', async (rig) => {
  const session = await haltedByAgent(rig);
  await session.go(0);
  await until('the record says so', async () => (await rig.sessions().list())[0]?.state === 'running');
  await killed(session, 'host');
  expect((await endedRecord(rig.sessions(), session.id)).ended?.guest).toBe('running');
  expect(await findRescuable(rig.sessions())).toEqual([]);
  expect(rig.guest.state()).toBe('running');
});

exit('the host is killed while the guest runs with breakpoints', async (rig) => {
  const session = await haltedByAgent(rig);
  await session.command(['bp nt!NtClose'], { timeoutMs: 20_000 });
  await session.go(0);
  await until('the record says so', async () => (await rig.sessions().list())[0]?.state === 'running');
  await killed(session, 'host');
  expect((await endedRecord(rig.sessions(), session.id)).ended).toMatchObject({
    guest: 'unknown',
    reason: expect.stringMatching(/a breakpoint is left in its memory/),
  });
  expect(rig.guest.patched()).toHaveLength(1);
  await rescue(rig.sessions());
  expect([rig.guest.state(), rig.guest.patched()]).toEqual(['running', []]);
});

exit('the host is told to end (SIGTERM)', async (rig) => {
  const session = await haltedByAgent(rig);
  await session.command(['bp nt!NtClose'], { timeoutMs: 20_000 });
  await killed(session, 'host', 'SIGTERM');
  await runsWithin(rig, AT_ONCE_MS);
  expect(rig.guest.patched()).toEqual([]);
});

exit('the host is told to end while somebody wants the halt', async (rig) => {
  const person = rig.sessions(PERSON);
  const { session } = await person.start({ ...rig.guest.start(), stateFile: rig.guest.stateFile() });
  await session.breakIn(20_000);
  await killed(session, 'host', 'SIGTERM');
  expect((await endedRecord(person, session.id)).ended).toMatchObject({ guest: 'frozen', how: 'kd-ended' });
  expect(await rescue(person)).toMatchObject([{ outcome: 'ask' }]);
  expect(rig.guest.state()).toBe('frozen');
});

exit('the host fails (an uncaught exception)', async (rig) => {
  const boom = "process.on('SIGUSR2', () => { throw new Error('boom'); });";
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(boom)}` };
  const agent = rig.sessions(AGENT, { program: { command: process.execPath, script: CLI, env } });
  const { session } = await agent.start(rig.guest.start());
  await session.breakIn(20_000);
  await killed(session, 'host', 'SIGUSR2');
  await runsWithin(rig, AT_ONCE_MS);
});
