/** Output in quantities, in pieces, forged, and in other alphabets. */
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/client/sessions.ts';
import { drive } from '../host/kd-session.ts';
import { until, whenInfo } from '../host/rig.ts';
import { kdProgram } from './engine.ts';
import { type Guest, startGuest } from './guest.ts';
import { startProduct } from './product.ts';

async function haltedSession(guest: Guest): Promise<Session> {
  const session = await (await startProduct(guest)).start();
  await session.breakIn(20_000);
  return session;
}

/** The transcript from a cursor on, page by page. */
async function readAll(session: Session, from: number): Promise<string> {
  let text = '';
  for (let at = from; ; ) {
    const page = await session.read({ from: at, maxBytes: 1_000_000 });
    text += page.text;
    if (page.to >= page.end) return text;
    at = page.to;
  }
}

describe('a flood of DbgPrint', () => {
  test('while the guest runs arrives whole and in order', async () => {
    const guest = await startGuest();
    const session = await haltedSession(guest);
    const went = await session.go(0);
    const lines = Array.from({ length: 2000 }, (_, n) => `driver line ${n} ${'x'.repeat(n % 70)}`);
    for (let n = 0; n < lines.length; n += 40) {
      await guest.tell(`print ${lines.slice(n, n + 40).join('\\n')}\\n`);
    }
    await until('the last line is there', async () =>
      (await session.read({ from: -200, maxBytes: 200 })).text.includes(' 1999 '),
    );
    const seen = (await readAll(session, went.to)).match(/^driver line .*$/gm);
    // A message that the guest repeats, because its acknowledgement is late, is printed again by the engine.
    expect([...new Set(seen)]).toEqual(lines);
  });

  test('does not keep a break from stopping the guest', async () => {
    const guest = await startGuest();
    const session = await haltedSession(guest);
    await session.go(0);
    let flooding = true;
    const flood = (async () => {
      for (let n = 0; flooding; n++) await guest.tell(`print noise ${n}\\n`);
    })();
    await until('it has begun', async () =>
      (await session.read({ from: -2000, maxBytes: 2000 })).text.includes('noise 5'),
    );
    expect((await session.breakIn(20_000)).outcome).toMatch(/done|interrupted/);
    flooding = false;
    await flood;
    const { results } = await session.command(['.echo quiet'], { timeoutMs: 20_000 });
    expect((await session.read({ from: results[0]?.from ?? 0, maxBytes: 100 })).text).toMatch(/^quiet\n/);
  });
});

test('over a network that loses, doubles and delays packets each command gets its own output, in order', async () => {
  const guest = await startGuest({ args: ['--loss', '5', '--reorder', '2', '--duplicate', '2'] });
  const session = await haltedSession(guest);
  const commands = Array.from({ length: 48 }, (_, n) => (n % 3 === 0 ? 'db nt L200' : `.echo number ${n}`));
  const { results } = await session.command(commands, { timeoutMs: 45_000 });
  for (const [n, { outcome, from, to }] of results.entries()) {
    expect(outcome).toBe('done');
    const { text } = await session.read({ from, maxBytes: to - from });
    if (n % 3 === 0) expect(text.match(/^fffff803`12400[01][0-9a-f]0 {2}/gm)?.length).toBe(0x20);
    else expect(text.trimEnd()).toBe(`number ${n}`);
  }
  expect((await session.stop('resume')).guest).toBe('running');
  await guest.becomes('running');
});

test('10 MB of output of one command arrive whole, while others can read and interrupt', async () => {
  const session = await haltedSession(await startGuest());
  const count = 150_000;
  const command = `.for (r $t0 = 0; @$t0 < 0n${count}; r $t0 = @$t0 + 1) { .printf "line %06d ${'.'.repeat(60)}\\n", @$t0 }`;
  let result = (await session.command([command], { timeoutMs: 40_000 })).results[0];
  if (result?.outcome === 'running') {
    await whenInfo(session, ({ status }) => status.state === 'broken', 60_000);
    result = (await session.command(['.echo done'], { timeoutMs: 20_000 })).results[0];
  }
  const text = await readAll(session, 0);
  const numbers = [...text.matchAll(/^line (\d{6}) \.{60}$/gm)].map((match) => Number(match[1]));
  expect(numbers.length).toBe(count);
  expect(numbers.every((number, index) => number === index)).toBe(true);
}, 120_000);

test('a line without an end belongs to its command, and the next one starts afresh', async () => {
  const session = await haltedSession(await startGuest());
  const { results } = await session.command(['.printf "no newline"', '.echo next'], { timeoutMs: 20_000 });
  const outputs = await Promise.all(
    results.map(async ({ from, to }) => (await session.read({ from, maxBytes: to - from })).text),
  );
  expect(outputs.map((text) => text.trimEnd())).toEqual(['no newline', 'next']);
});

describe('a hostile driver', () => {
  test('that prints prompts, stops and markers does not end a command or a run', async () => {
    const guest = await startGuest();
    const session = await haltedSession(guest);
    const went = await session.go(0);
    const forgeries = [
      '0: kd> ',
      '0: kd> forged prompt\\n',
      'quit:\\n',
      'Break instruction exception - code 80000003 (first chance)\\n',
      'nt!DbgBreakPointWithStatus:\\nfffff803`12410010 cc              int     3\\n0: kd> ',
    ];
    for (const text of forgeries) await guest.tell(`print ${text}`);
    // The last few lines after what looks like a prompt are held back until more come, or a real prompt.
    await guest.tell('print \\nthe last of it\\n1\\n2\\n3\\n4\\n5\\n');
    await until('all is there', async () => (await readAll(session, went.to)).includes('the last of it'));
    expect((await session.refresh()).status.state).toBe('running');
    expect(await guest.state()).toBe('running');
    expect((await session.breakIn(20_000)).outcome).toBe('done');
    const { results } = await session.command(['.echo mine'], { timeoutMs: 20_000 });
    const { from, to } = results[0] ?? { from: 0, to: 0 };
    expect((await session.read({ from, maxBytes: to - from })).text.trimEnd()).toBe('mine');
  });

  test('that repeats a marker it has seen does not end the next command', async () => {
    const guest = await startGuest();
    const session = await haltedSession(guest);
    await session.command(['.echo one'], { timeoutMs: 20_000 });
    // What an old marker looked like is on the wire only: the guest cannot know it, and the next is another.
    const { results } = await session.command(['.printf "KDMCP-0-0\\n"', '.echo two'], { timeoutMs: 20_000 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  });
});

describe('on a host whose code page is 949', () => {
  /** 한국어 as UTF-16 numbers, at the stack pointer. */
  const WRITE_KOREAN = 'ew @rsp 0xd55c 0xad6d 0xc5b4 0';
  const korean = async (options: { readonly unicodeLog: boolean }) => {
    const guest = await startGuest();
    const driven = drive([], {
      program: [kdProgram('korean')],
      args: ['-noshell', '-k', `net:port=${guest.port},key=${guest.key}`],
      codePage: 949,
      ...options,
    });
    await driven.until((status) => status.linked);
    await driven.session.breakIn({ kind: 'agent', name: 'test' }, 20_000);
    return { guest, driven };
  };

  test.each([true, false])('Korean text of the guest is read right (Unicode log: %s)', async (unicodeLog) => {
    const { driven } = await korean({ unicodeLog });
    try {
      await driven.run(WRITE_KOREAN);
      expect(await driven.run('du @rsp')).toContain('"한국어"');
      expect(await driven.run('.echo after it')).toBe('after it\n');
    } finally {
      driven.dispose();
    }
  });
});
