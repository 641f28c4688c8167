/** Exit paths on Microsoft's engine: rows of the table in ARCHITECTURE.md, each ending with the guest's own state. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rescue } from '../../src/client/rescue.ts';
import type { Session, Sessions } from '../../src/client/sessions.ts';
import { AFTER_A_SECOND_MS, AT_ONCE_MS, GRACE, LEASE } from '../host/exit-rig.ts';
import { endedRecord, gone, kill, until, whenClosed, whenInfo } from '../host/rig.ts';
import { type Guest, startGuest } from './guest.ts';
import { type Product, startProduct } from './product.ts';

/** Besides its own time each row has the engine's under Wine, on a machine that does other things. */
const ENGINE_MS = 20_000;

interface Halted {
  readonly guest: Guest;
  readonly product: Product;
  readonly agent: Sessions;
  readonly session: Session;
}

function exit(row: string, body: () => Promise<void>): void {
  test(row, body, 120_000);
}

async function halted(options: typeof GRACE): Promise<Halted> {
  const guest = await startGuest();
  const product = await startProduct(guest, { clients: options });
  const agent = product.sessions;
  const session = await product.start();
  await session.breakIn(20_000);
  await until('the record says so', async () => (await agent.list())[0]?.halt !== undefined);
  expect(await guest.state()).toBe('frozen');
  return { guest, product, agent, session };
}

async function killed(session: Session, which: 'host' | 'kd'): Promise<void> {
  const { hostPid, kdPid } = session.info;
  const closed = whenClosed(session);
  kill(which === 'host' ? hostPid : (kdPid ?? 0));
  await closed;
  await gone(kdPid ?? 0);
}

const runs = (guest: Guest, ms: number): Promise<void> =>
  until('the guest runs', async () => (await guest.state()) === 'running', ms + ENGINE_MS);
const patched = async (guest: Guest): Promise<unknown> => JSON.parse(await guest.tell('state')).patched;

exit("an agent's client closes", async () => {
  const { guest, agent } = await halted(GRACE);
  agent.dispose();
  await runs(guest, AFTER_A_SECOND_MS);
});

exit("an agent's client is killed", async () => {
  const guest = await startGuest();
  const product = await startProduct(guest, { config: { orphan_grace_sec: 1 } });
  await product.ok('start_from_state');
  await product.ok('break_in');
  expect(await guest.state()).toBe('frozen');
  kill((await product.client()).pid ?? 0);
  await runs(guest, AFTER_A_SECOND_MS);
});

exit('an agent does nothing with its halt', async () => {
  const { guest, session } = await halted(LEASE);
  await runs(guest, AFTER_A_SECOND_MS);
  expect((await session.read({ maxBytes: 100_000 })).text).toContain('Nobody used this halt for 1 s');
});

exit("agents' breakpoints are set and everybody is gone", async () => {
  const { guest, agent, session } = await halted(GRACE);
  await session.command(['.reload', 'bp mydriver!MyDispatch'], { timeoutMs: 20_000 });
  await session.go(0);
  await guest.tell('hit mydriver!MyDispatch');
  await whenInfo(session, ({ status }) => status.halt?.event.kind === 'breakpoint');
  agent.dispose();
  await runs(guest, AFTER_A_SECOND_MS);
  expect(await patched(guest)).toEqual([]);
  await guest.tell('hit mydriver!MyDispatch');
  expect(await guest.state()).toBe('running');
});

exit('the guest crashed (bugcheck)', async () => {
  const { guest, agent, session } = await halted(GRACE);
  await session.go(0);
  await guest.tell('bugcheck d1 1 2 3 4');
  await whenInfo(session, ({ status }) => status.halt?.event.kind === 'bugcheck');
  const other = await halted(GRACE);
  agent.dispose();
  other.agent.dispose();
  // The other one has been let run by the rule that does not hold for a crash.
  await runs(other.guest, AFTER_A_SECOND_MS);
  expect(await guest.state()).toBe('frozen');
});

exit('stop_kd ends the session', async () => {
  const { guest, session } = await halted(GRACE);
  await session.command(['.reload', 'bp mydriver!MyDispatch'], { timeoutMs: 20_000 });
  await session.go(0);
  expect((await session.stop('resume')).guest).toBe('running');
  await runs(guest, AT_ONCE_MS);
  expect(await patched(guest)).toEqual([]);
});

exit('the host is killed while the guest is halted: an agent comes', async () => {
  const { guest, product, session } = await halted(GRACE);
  await killed(session, 'host');
  expect(await guest.state()).toBe('frozen');
  await product.ok('list_sessions');
  await runs(guest, 20_000);
});

exit('the host is killed while the guest runs with breakpoints', async () => {
  const { guest, agent, session } = await halted(GRACE);
  await session.command(['.reload', 'bp mydriver!MyDispatch'], { timeoutMs: 20_000 });
  await session.go(0);
  await until('the record says so', async () => (await agent.list())[0]?.state === 'running');
  await killed(session, 'host');
  await endedRecord(agent, session.id);
  expect(await patched(guest)).toHaveLength(1);
  expect(await rescue(agent)).toMatchObject([{ outcome: expect.stringMatching(/was-running|resumed/) }]);
  await runs(guest, AT_ONCE_MS);
  expect(await patched(guest)).toEqual([]);
});

exit('kd is killed or crashes while the guest is halted, and nobody is connected', async () => {
  const { guest, agent, session } = await halted({ ...GRACE, orphanGraceSec: 5 });
  const { kdPid } = session.info;
  agent.dispose();
  kill(kdPid ?? 0);
  await gone(kdPid ?? 0);
  await runs(guest, 25_000);
});

exit('kd is killed or crashes while the guest runs', async () => {
  const { guest, agent, session } = await halted(GRACE);
  await session.go(0);
  await killed(session, 'kd');
  expect((await endedRecord(agent, session.id)).ended?.guest).toBe('running');
  expect(await guest.state()).toBe('running');
});

exit('the link is lost while the guest is halted', async () => {
  const { guest, agent, session } = await halted(GRACE);
  await guest.tell('vanish');
  agent.dispose();
  const said = (): string => readFileSync(session.info.transcriptPath, 'utf8');
  await until('the host has said g', () => said().includes('the guest runs again'));
  expect(await guest.state()).toBe('frozen');
  await guest.tell('back');
  await runs(guest, AFTER_A_SECOND_MS);
});

exit('a break is asked for while the link is lost', async () => {
  const { guest, agent, session } = await halted(GRACE);
  await session.go(0);
  await guest.becomes('running');
  await guest.tell('vanish');
  const { outcome, info } = await session.breakIn(3_000);
  expect([outcome, info.status.state]).toEqual(['pending', 'running']);
  await guest.tell('back');
  // Whether the request is still on its way or not, what it does ends as an agent's halt does.
  expect((await session.breakIn(20_000)).info.status.state).toBe('broken');
  agent.dispose();
  await runs(guest, AFTER_A_SECOND_MS);
});
