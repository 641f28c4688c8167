/** Exit paths of kd and the link: what is killed, hangs or is lost. See ARCHITECTURE.md. */
import { expect } from 'vitest';
import { rescue } from '../../src/client/rescue.ts';
import {
  AFTER_A_SECOND_MS,
  exit,
  GRACE,
  halted,
  haltedByAgent,
  killed,
  outlasted,
  RESCUE_MS,
  runsWithin,
  serve,
  staysFrozen,
} from './exit-rig.ts';
import { AGENT, endedRecord, gone, kill, PERSON, type Rig, until, whenInfo } from './rig.ts';
import { call } from './serve-process.ts';

/** How long a kd that hangs is asked to stop what it does. */
const HANG_MS = 10_000;

exit('kd is killed or crashes while the guest is halted, and an agent is connected', async (rig) => {
  const agent = serve(rig).send(call(2, 'start_from_state'));
  await agent.answer(2);
  agent.send(call(3, 'break_in'));
  await agent.answer(3);
  expect(rig.guest.state()).toBe('frozen');
  const [record] = await rig.sessions().list();
  kill(record?.kdPid ?? 0);
  await runsWithin(rig, RESCUE_MS);
});

exit('kd is killed or crashes while the guest is halted, and nobody is connected', async (rig) => {
  const agent = rig.sessions(AGENT, { ...GRACE, orphanGraceSec: 4 });
  const { session } = await agent.start(rig.guest.start());
  await session.breakIn(20_000);
  const { kdPid } = session.info;
  agent.dispose();
  await until('nobody is there', async () => isAlone(rig));
  kill(kdPid ?? 0);
  await gone(kdPid ?? 0);
  await runsWithin(rig, 4_000 + RESCUE_MS);
  expect((await rig.sessions().ended())[0]?.ended).toMatchObject({ guest: 'frozen', how: 'kd-ended' });
});

exit('kd is killed or crashes while the guest runs', async (rig) => {
  const session = await haltedByAgent(rig);
  await session.go(0);
  await killed(session, 'kd');
  expect((await endedRecord(rig.sessions(), session.id)).ended?.guest).toBe('running');
  expect(rig.guest.state()).toBe('running');
});

exit('kd hangs in a command and nobody is connected', async (rig) => {
  const { agent, session } = await halted(rig, GRACE, 'hang');
  void session.command(['!process 0 0'], { timeoutMs: 60_000 }).catch(() => {});
  await whenInfo(session, ({ status }) => status.state === 'busy');
  agent.dispose();
  await runsWithin(rig, AFTER_A_SECOND_MS + HANG_MS + RESCUE_MS);
});

exit('kd hangs in a command and stop_kd is called', async (rig) => {
  const agent = rig.sessions(AGENT, GRACE);
  const { session } = await agent.start({ ...rig.guest.start('hang'), stateFile: rig.guest.stateFile() });
  await session.breakIn(20_000);
  void session.command(['!process 0 0'], { timeoutMs: 60_000 }).catch(() => {});
  await whenInfo(session, ({ status }) => status.state === 'busy');
  expect((await session.stop('resume')).guest).toBe('frozen');
  await endedRecord(agent, session.id);
  expect(await rescue(agent)).toMatchObject([{ outcome: 'resumed' }]);
  expect(rig.guest.state()).toBe('running');
});

exit('the link is lost while the guest is halted', async (rig) => {
  const { agent } = await halted(rig, GRACE, 'idle', rig.guest.control);
  await rig.guest.tell('vanish');
  agent.dispose();
  await staysFrozen(rig);
  await rig.guest.tell('back');
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

exit('a break is asked for while the link is lost', async (rig) => {
  const { agent, session } = await halted(rig, GRACE, 'idle', rig.guest.control);
  await session.go(0);
  await rig.guest.tell('vanish');
  const { outcome, info } = await session.breakIn(1_000);
  expect([outcome, info.status.state]).toEqual(['pending', 'running']);
  await rig.guest.tell('back');
  agent.dispose();
  await outlasted();
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

async function isAlone(rig: Rig): Promise<boolean> {
  const look = rig.sessions(PERSON);
  try {
    const session = await look.open();
    return session.info.clients.length === 1;
  } finally {
    look.dispose();
  }
}
