/** Breaks at awkward moments. */
import { describe, expect, test } from 'vitest';
import { whenInfo } from '../host/rig.ts';
import { startGuest } from './guest.ts';
import { startProduct } from './product.ts';

describe('a break soon after a go', () => {
  test.each([0, 20, 50, 100])('of %i ms stops the target, time after time', async (delay) => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    for (let round = 0; round < 5; round++) {
      const went = session.go(0);
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      const stopped = await session.breakIn(20_000);
      await went;
      // `interrupted`: kd had not let the target run yet.
      expect(stopped.outcome).toMatch(/done|already|interrupted/);
      expect(session.info.status.state).toBe('broken');
      expect(await guest.state()).toBe('frozen');
      const { results } = await session.command([`.echo round ${round}`], { timeoutMs: 20_000 });
      expect(results[0]?.outcome).toBe('done');
    }
    expect((await session.stop('resume')).guest).toBe('running');
    await guest.becomes('running');
  });
});

describe('a wait', () => {
  test('ends with the breakpoint that is hit meanwhile', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    await session.command(['.reload', 'bp mydriver!MyDispatch'], { timeoutMs: 20_000 });
    await session.go(0);
    const waiting = session.waitForBreak({ timeoutMs: 20_000 });
    await guest.tell('hit mydriver!MyDispatch');
    const { outcome, info } = await waiting;
    expect(outcome).toBe('done');
    expect(info.status.halt?.event).toMatchObject({ kind: 'breakpoint', number: 0 });
    expect(info.status.halt?.cause).toMatchObject({ kind: 'agent' });
  });

  test('ends with the bugcheck that comes meanwhile, and the guest is not resumed by itself', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    await session.go(0);
    const waiting = session.waitForBreak({ timeoutMs: 20_000 });
    await guest.tell('bugcheck d1 1 2 3 4');
    const { info } = await waiting;
    expect(info.status.halt?.event).toMatchObject({ kind: 'bugcheck' });
    expect(info.leaseEndsAt).toBeUndefined();
  });
});

describe('a running command', () => {
  test('is interrupted by a break, and the session takes the next one', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    const endless = session.command(['.for (r $t0 = 0; 1; r $t0 = @$t0 + 1) { .echo spin }'], {
      timeoutMs: 30_000,
    });
    await whenInfo(session, ({ status }) => status.state === 'busy');
    expect((await session.breakIn(20_000)).outcome).toBe('interrupted');
    expect((await endless).results[0]?.outcome).toBe('interrupted');
    const { results } = await session.command(['.echo next'], { timeoutMs: 20_000 });
    expect(results[0]?.outcome).toBe('done');
    expect((await session.read({ from: results[0]?.from ?? 0, maxBytes: 100 })).text).toMatch(/^next\n/);
  });
});

describe('the end of a session', () => {
  test('with breaks that met other stops on their way leaves the guest running', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    await session.command(['.reload', 'bp mydriver!MyDispatch'], { timeoutMs: 20_000 });
    for (let round = 0; round < 10; round++) {
      await session.go(0);
      await guest.becomes('running');
      // Sometimes the request reaches a guest that has just stopped, which then owes the break.
      const asked = session.breakIn(20_000);
      await guest.tell('hit mydriver!MyDispatch');
      await asked;
      await whenInfo(session, ({ status }) => status.state === 'broken');
    }
    expect((await session.stop('resume')).guest).toBe('running');
    await guest.becomes('running');
    expect(JSON.parse(await guest.tell('state')).owedBreaks).toBe(0);
  });

  test('with a break that was lost on the way leaves the guest running', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    await session.go(0);
    await guest.tell('vanish');
    expect((await session.breakIn(3_000)).outcome).toBe('pending');
    await guest.tell('back');
    expect(session.info.status).toMatchObject({ state: 'running', unanswered: expect.any(Number) });
    expect((await session.stop('resume')).guest).toBe('running');
    await guest.becomes('running');
  });

  test('that leaves the guest frozen says so, and another session takes it over as it stands', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    expect((await session.stop('leave_frozen')).guest).toBe('frozen');
    expect(await guest.state()).toBe('frozen');
    const again = await product.start();
    await whenInfo(again, ({ status }) => status.state === 'broken');
    expect((await again.stop('resume')).guest).toBe('running');
    await guest.becomes('running');
  });
});
