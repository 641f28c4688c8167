import { expect, test } from 'vitest';
import { type BreakTarget, createBreaker } from '../../src/kd/breakin.ts';

function target(alive: boolean) {
  const log: string[] = [];
  const kd: BreakTarget = {
    pid: 4242,
    kill: (signal) => {
      log.push(signal);
      return alive;
    },
    write: (bytes) => {
      if (!alive) throw new Error('write after end');
      log.push(Buffer.from(bytes).toString('hex'));
    },
  };
  return { kd, log };
}

test('off Windows a break is SIGINT to kd, then Ctrl+F with a newline on its input', () => {
  const { kd, log } = target(true);
  const breaker = createBreaker(kd, 'linux');
  expect(breaker.rungs).toEqual(['ctrl-c', 'byte-06']);
  for (const rung of breaker.rungs) expect(breaker.send(rung)).toEqual({ ok: true });
  expect(log).toEqual(['SIGINT', '060a']);
});

test('a rung that could not send says so, so that the next one is tried at once', () => {
  const breaker = createBreaker(target(false).kd, 'linux');
  expect(breaker.send('ctrl-break').ok).toBe(false);
  expect(breaker.send('ctrl-c')).toEqual({ ok: false, error: 'kd has ended' });
  expect(breaker.send('byte-06')).toEqual({ ok: false, error: "kd's input is closed: write after end" });
});

test.skipIf(process.platform === 'win32')(
  'on Windows Ctrl+Break comes first, and a console call that cannot be made names itself',
  () => {
    const { kd, log } = target(true);
    const breaker = createBreaker(kd, 'win32');
    expect(breaker.rungs).toEqual(['ctrl-break', 'ctrl-c', 'byte-06']);
    expect(breaker.send('ctrl-break')).toEqual({ ok: false, error: expect.stringContaining('koffi') });
    expect(breaker.send('byte-06')).toEqual({ ok: true });
    expect(log).toEqual(['060a']);
  },
);
