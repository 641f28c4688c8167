import { describe, expect, test } from 'vitest';
import { Turns } from '../../../src/host/turns.ts';

describe('turns at the prompt', () => {
  test('come first in, first out', async () => {
    const turns = new Turns();
    const order: number[] = [];
    const all = [1, 2, 3].map(async (number) => {
      const turn = turns.take();
      expect(await turn.granted).toEqual({ ok: true });
      order.push(number);
      turn.done();
    });
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });

  test('one that makes no sense any more is dropped with its reason, and the next one comes', async () => {
    const turns = new Turns();
    const first = turns.take();
    const second = turns.take(() => 'the target was resumed');
    const third = turns.take();
    expect(turns.length).toBe(2);
    first.done();
    expect(await second.granted).toEqual({ ok: false, reason: 'the target was resumed' });
    expect(await third.granted).toEqual({ ok: true });
    second.done();
    expect(turns.length).toBe(0);
  });

  test('one that waits can be withdrawn, one that has come cannot', async () => {
    const turns = new Turns();
    const first = turns.take();
    const second = turns.take();
    expect(first.withdraw('late')).toBe(false);
    expect(second.withdraw('late')).toBe(true);
    expect(await second.granted).toEqual({ ok: false, reason: 'late' });
    second.done();
    const third = turns.take();
    expect(turns.length).toBe(1);
    first.done();
    expect(await third.granted).toEqual({ ok: true });
  });

  test('all that wait can be dropped at once', async () => {
    const turns = new Turns();
    const first = turns.take();
    const others = [turns.take(), turns.take()];
    turns.dropAll('stopped');
    expect(await Promise.all(others.map((turn) => turn.granted))).toEqual([
      { ok: false, reason: 'stopped' },
      { ok: false, reason: 'stopped' },
    ]);
    expect(await first.granted).toEqual({ ok: true });
  });
});
