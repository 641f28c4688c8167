/** Exit paths of sessions that joined another debugger: what is theirs, what is its owner's. See ARCHITECTURE.md. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { SessionsOptions } from '../../src/client/registry.ts';
import type { Session, Sessions } from '../../src/client/sessions.ts';
import {
  AFTER_A_SECOND_MS,
  AT_ONCE_MS,
  exit,
  GRACE,
  LEASE,
  runsWithin,
  SHORT,
  staysFrozen,
} from './exit-rig.ts';
import { AGENT, endedRecord, type Rig, SIMULATOR, whenClosed, whenInfo } from './rig.ts';
import { disposeSimulators, type SimulatorProcess, startSimulator } from './simulator-process.ts';

afterEach(disposeSimulators);

interface Joined {
  readonly owner: SimulatorProcess;
  readonly agent: Sessions;
  readonly session: Session;
}

/** Somebody's debugger with a guest that runs, and an agent's session that joined it. */
async function joined(rig: Rig, options: Partial<SessionsOptions>): Promise<Joined> {
  const owner = await startSimulator('--guest', join(rig.home, 'guest.json'));
  await owner.breakIn();
  const server = `pipe=lab-${randomBytes(8).toString('hex')},password=Zr8aQ1mB5xY2`;
  await owner.ask(`.server npipe:${server}`);
  owner.send('g');
  const agent = rig.sessions(AGENT, options);
  const { session } = await agent.start({
    connection: { transport: 'remote', remote: `npipe:server=.,${server}` },
    kd: [process.execPath, SIMULATOR],
  });
  await whenInfo(session, ({ status }) => status.state === 'running');
  return { owner, agent, session };
}

exit('a session that joined another debugger is stopped while an agent’s halt lasts', async (rig) => {
  const { owner, session } = await joined(rig, GRACE);
  await session.breakIn(20_000);
  expect(rig.guest.state()).toBe('frozen');
  await session.stop('resume');
  await runsWithin(rig, AT_ONCE_MS);
  expect(owner.child.exitCode).toBeNull();
});

exit('a session that joined another debugger is stopped while its owner’s halt lasts', async (rig) => {
  const { owner, session } = await joined(rig, SHORT);
  owner.interrupt();
  await whenInfo(session, ({ status }) => status.state === 'broken');
  await session.stop('resume');
  await staysFrozen(rig);
  expect(owner.child.exitCode).toBeNull();
});

exit('an agent does nothing with its halt of a debugger that it joined', async (rig) => {
  const { session } = await joined(rig, LEASE);
  await session.breakIn(20_000);
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

exit('an agent that halted a debugger that it joined closes', async (rig) => {
  const { agent, session } = await joined(rig, GRACE);
  await session.breakIn(20_000);
  agent.dispose();
  await runsWithin(rig, AFTER_A_SECOND_MS);
});

exit('the owner of a joined debugger ends it', async (rig) => {
  const { owner, agent, session } = await joined(rig, GRACE);
  owner.interrupt();
  await whenInfo(session, ({ status }) => status.state === 'broken');
  const closed = whenClosed(session);
  owner.send('q');
  await closed;
  expect((await endedRecord(agent, session.id)).ended?.guest).toBe('unknown');
  await staysFrozen(rig);
});
