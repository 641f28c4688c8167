/**
 * The rows of the table "Keeping the guest alive" in ARCHITECTURE.md, as tests: each has the row's name and ends with the
 * state of the modelled guest itself, which its own file tells (`--guest`), not kd.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionsOptions } from '../../src/client/registry.ts';
import type { Session, Sessions } from '../../src/client/sessions.ts';
import { AGENT, createRig, gone, kill, type Rig, SIMULATOR, until, whenClosed } from './rig.ts';
import { initialize, Serve } from './serve-process.ts';

/** For rows about the grace time: nobody waits for the lease. */
export const GRACE: Partial<SessionsOptions> = { orphanGraceSec: 1, haltLeaseSec: 300 };
export const LEASE: Partial<SessionsOptions> = { orphanGraceSec: 300, haltLeaseSec: 1 };
export const SHORT: Partial<SessionsOptions> = { orphanGraceSec: 1, haltLeaseSec: 1 };

/** The table's "at once" and what it allows beyond a lease or grace time. */
export const AT_ONCE_MS = 10_000;
export const AFTER_A_SECOND_MS = 1_000 + AT_ONCE_MS;

/** One row. */
export function exit(row: string, body: (rig: Rig) => Promise<void>): void {
  test(row, async () => {
    const rig = await createRig();
    onTestFinished(() => rig.dispose());
    await body(rig);
  }, 90_000);
}

/** A session whose guest is frozen by an agent's break. */
export async function halted(
  rig: Rig,
  options: Partial<SessionsOptions>,
  scenario?: string,
  more?: readonly string[],
): Promise<{ readonly agent: Sessions; readonly session: Session }> {
  const agent = rig.sessions(AGENT, options);
  const { session } = await agent.start(rig.guest.start(scenario, more));
  await session.breakIn(20_000);
  expect(rig.guest.state()).toBe('frozen');
  return { agent, session };
}

export const runsWithin = (rig: Rig, ms: number): Promise<void> =>
  until('the guest runs', () => rig.guest.state() === 'running', ms);

/**
 * The guest is frozen, and still is when another one has been let run by lease and grace time that was halted only now:
 * whatever would end this halt by itself has had its time.
 */
export async function staysFrozen(rig: Rig): Promise<void> {
  expect(rig.guest.state()).toBe('frozen');
  await outlasted();
  expect(rig.guest.state()).toBe('frozen');
}

/** Lease and grace time of a second have gone by, once more. */
export async function outlasted(): Promise<void> {
  const other = await createRig();
  onTestFinished(() => other.dispose());
  const { agent } = await halted(other, SHORT);
  agent.dispose();
  await runsWithin(other, AFTER_A_SECOND_MS);
}

/** A rescue waits for the guest's offer and looks whether it is frozen. */
export const RESCUE_MS = 20_000;
/** An agent's halt, with a state file that still has the key. */
export async function haltedByAgent(rig: Rig): Promise<Session> {
  const agent = rig.sessions(AGENT, GRACE);
  const { session } = await agent.start({ ...rig.guest.start(), stateFile: rig.guest.stateFile() });
  await session.breakIn(20_000);
  await until('the record says so', async () => (await agent.list())[0]?.halt !== undefined);
  return session;
}

export async function killed(session: Session, which: 'host' | 'kd', signal?: NodeJS.Signals): Promise<void> {
  const { hostPid, kdPid } = session.info;
  const closed = whenClosed(session);
  kill(which === 'host' ? hostPid : (kdPid ?? 0), signal);
  await closed;
  await gone(kdPid ?? 0);
}

/** An agent's `serve`, which looks for frozen guests when it starts and when it loses a session. */
export function serve(rig: Rig): Serve {
  const kd = join(rig.home, 'kd.mjs');
  const guest = JSON.stringify(['--guest', join(rig.home, 'guest.json')]);
  const simulator = JSON.stringify(pathToFileURL(SIMULATOR).href);
  writeFileSync(kd, `process.argv.push(...${guest});\nawait import(${simulator});\n`);
  const config = join(rig.home, 'config.yaml');
  const state = JSON.stringify(rig.guest.stateFile());
  writeFileSync(config, `kd:\n  kd_exe: ${JSON.stringify(kd)}\n  state_file: ${state}\n`);
  const started = new Serve(['--home', rig.home, '--config', config]);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started.send(initialize);
}
