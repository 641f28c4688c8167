/** What is left when a process of the chain is killed. */
import { describe, expect, test } from 'vitest';
import { rescue } from '../../src/client/rescue.ts';
import type { Session } from '../../src/client/sessions.ts';
import { endedRecord, gone, kill, until, whenClosed } from '../host/rig.ts';
import { type Guest, startGuest } from './guest.ts';
import { startKd } from './kd.ts';
import { type Product, startProduct } from './product.ts';

async function halted(): Promise<{ guest: Guest; product: Product; session: Session }> {
  const guest = await startGuest();
  const product = await startProduct(guest);
  const session = await product.start();
  await session.breakIn(20_000);
  await until('the record says broken', async () => (await product.sessions.list())[0]?.halt !== undefined);
  return { guest, product, session };
}

describe('kill -9', () => {
  test('of serve leaves the session as it is for the next client', async () => {
    const { guest, product, session } = await halted();
    const { pid } = await product.client();
    await product.ok('kd_command', { command: '.echo before' });
    kill(pid ?? 0);
    await gone(pid ?? 0);
    expect(await guest.state()).toBe('frozen');
    const { results } = await session.command(['.echo after'], { timeoutMs: 20_000 });
    expect(results[0]?.outcome).toBe('done');
  });

  test('of the host takes kd along; the guest stays frozen until a rescue frees it, and the port is free', async () => {
    const { guest, product, session } = await halted();
    const { hostPid, kdPid } = session.info;
    const closed = whenClosed(session);
    kill(hostPid);
    await closed;
    await gone(hostPid);
    await gone(kdPid ?? 0);
    expect(await guest.state()).toBe('frozen');
    const record = await endedRecord(product.sessions, session.id);
    expect(record.ended).toMatchObject({ guest: 'frozen', how: 'host-gone' });
    expect(await rescue(product.sessions)).toMatchObject([{ id: session.id, outcome: 'resumed' }]);
    await guest.becomes('running');
    const kd = startKd(['-k', `net:port=${guest.port},key=${guest.key}`]);
    await kd.shows(/Connected to target/);
  });

  test('of kd ends the session, says what became of the guest, and a new session frees it', async () => {
    const { guest, product, session } = await halted();
    const closed = whenClosed(session);
    kill(session.info.kdPid ?? 0);
    await closed;
    expect(session.info.status.exit).toMatchObject({ code: 137, target: 'halted' });
    const record = await endedRecord(product.sessions, session.id);
    expect(record.ended).toMatchObject({ guest: 'frozen', how: 'kd-ended' });
    expect(await guest.state()).toBe('frozen');
    const again = await product.start();
    await until('it shows the stop', () => again.info.status.state === 'broken');
    expect((await again.stop('resume')).guest).toBe('running');
    await guest.becomes('running');
  });

  test('of kd while the guest runs leaves the guest running', async () => {
    const { guest, session } = await halted();
    await session.go(0);
    const closed = whenClosed(session);
    kill(session.info.kdPid ?? 0);
    await closed;
    expect(session.info.status.exit?.target).not.toBe('halted');
    expect(await guest.state()).toBe('running');
  });
});
