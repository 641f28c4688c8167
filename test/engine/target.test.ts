/** Targets that come late, restart, vanish and come back; two at a time. */
import { describe, expect, test } from 'vitest';
import { until, whenInfo } from '../host/rig.ts';
import { freePort } from './engine.ts';
import { KEY, startGuest } from './guest.ts';
import { cursorOf, startProduct } from './product.ts';

describe('a target that is not there yet', () => {
  test('is stopped as soon as it appears, when a break was asked for', async () => {
    const port = await freePort();
    const { ok } = await startProduct({ port, key: KEY });
    expect(await ok('start_from_state', { wait_sec: 2 })).toMatch(/waiting for the target \(no link yet/);
    expect(await ok('break_in', { timeout_sec: 0 })).toContain('it will be stopped as soon as it connects');
    const guest = await startGuest({ port });
    expect(await ok('wait_for_break')).toMatch(/ · broken \(.*stopped: break-in/s);
    expect(await guest.state()).toBe('frozen');
  });

  test('is left running when it appears by itself', async () => {
    const port = await freePort();
    const product = await startProduct({ port, key: KEY });
    const session = await product.start();
    const guest = await startGuest({ port });
    await whenInfo(session, ({ status }) => status.linked);
    expect(session.info.status.state).toBe('waiting');
    expect(await guest.state()).toBe('running');
    expect((await session.breakIn(20_000)).outcome).toBe('done');
  });
});

describe('a target that restarts', () => {
  test('in an orderly way is followed through the reboot: breakpoints are lost, and it is said', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await product.ok('break_in');
    await product.ok('kd_command', { command: 'bp nt!NtCreateFile' });
    await product.ok('continue_go', { wait_sec: 0 });
    expect(await guest.tell('reboot')).toBe('ok');
    await whenInfo(session, ({ status }) => status.notices.some(({ kind }) => kind === 'breakpoints-lost'));
    await whenInfo(session, ({ status }) => status.linked && status.state === 'running');
    const stopped = await product.ok('break_in');
    expect(stopped).toMatch(/ · broken \(/);
    expect(stopped).toMatch(/1 breakpoints were lost by a reboot: "bp nt!NtCreateFile"/);
    expect(await product.ok('kd_command', { command: '.echo after the reboot' })).toContain(
      'after the reboot',
    );
  });

  test('without notice while it is halted shows with the next command, and the session goes on', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    await product.ok('start_from_state');
    await product.ok('break_in');
    expect(await guest.tell('reset')).toBe('ok');
    const { text } = await product.call('kd_command', { command: 'db nt L4000' });
    expect(text).toMatch(/restarted without notifying|target was reset|hard-reset|reset without notice/);
    await until('the guest is there again', async () =>
      / · (running|waiting for the target \(link is up)/.test(await product.ok('list_sessions')),
    );
    expect(await product.ok('break_in')).toMatch(/ · broken \(/);
  });

  test('by .reboot is followed as well', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    const { results } = await session.command(['.reboot'], { timeoutMs: 20_000 });
    expect(results[0]?.outcome).not.toBe('running');
    await whenInfo(session, ({ status }) => status.linked && status.state !== 'broken');
    expect((await session.breakIn(20_000)).outcome).toBe('done');
  });
});

describe('a link that is lost', () => {
  test('takes a break with it; the next one, after it is back, stops the target', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    await session.go(0);
    await guest.tell('vanish');
    expect((await session.breakIn(500)).outcome).toBe('pending');
    await guest.tell('back');
    // The request is one packet, which the engine does not repeat (engine.md §6).
    expect((await session.breakIn(20_000)).outcome).toBe('done');
    expect(await guest.state()).toBe('frozen');
  });

  test('during a command holds the command until it is back; then it goes on', async () => {
    const guest = await startGuest();
    const product = await startProduct(guest);
    const session = await product.start();
    await session.breakIn(20_000);
    await guest.tell('vanish');
    const slow = await session.command(['db nt L3000'], { timeoutMs: 1500 });
    expect(slow.results[0]?.outcome).toBe('running');
    await guest.tell('back');
    await whenInfo(session, ({ status }) => status.state === 'broken', 30_000);
    const { results } = await session.command(['.echo in order again'], { timeoutMs: 20_000 });
    expect(results[0]?.outcome).toBe('done');
  });
});

test('two sessions on two ports do not meet', async () => {
  const [one, two] = [await startGuest(), await startGuest()];
  const product = await startProduct(one);
  await product.ok('start_from_state');
  await product.ok('start_kd', { port: two.port, key: two.key });
  await product.ok('break_in', { session_id: `net-${two.port}` });
  expect([await one.state(), await two.state()]).toEqual(['running', 'frozen']);
  expect((await product.call('break_in')).text).toMatch(/session_id/);
  await product.ok('break_in', { session_id: `net-${one.port}` });
  const went = await product.ok('continue_go', { session_id: `net-${two.port}`, wait_sec: 0 });
  expect([await one.state(), await two.state()]).toEqual(['frozen', 'running']);
  await two.tell('print only in the second\\n');
  const seen = () => product.ok('read_output', { session_id: `net-${two.port}`, from: cursorOf(went) });
  await until('the line is there', async () => (await seen()).includes('only in the second'));
  expect(await product.ok('read_output', { session_id: `net-${one.port}` })).not.toContain(
    'only in the second',
  );
});
