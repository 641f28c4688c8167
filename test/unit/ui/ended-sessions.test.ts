import { describe, expect, test } from 'vitest';
import { mayBeFrozen } from '../../../src/host/forsaken.ts';
import type { SessionRecord } from '../../../src/host/protocol.ts';
import { EndedSessions, endedKey, type Memory } from '../../../src/ui/ended-sessions.ts';
import { NOW, record } from './fake-sessions.ts';

class FakeMemory implements Memory {
  readonly #values = new Map<string, unknown>();
  get<T>(key: string, fallback: T): T {
    return (this.#values.get(key) as T | undefined) ?? fallback;
  }
  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
  }
}

type Ended = NonNullable<SessionRecord['ended']>;
const over = (id: string, startedAt: number, ended: Partial<Ended> = {}): SessionRecord => ({
  ...record(id),
  startedAt,
  ended: { at: NOW, reason: 'It is over.', guest: 'running', how: 'stopped', ...ended },
});

describe('sessions that are over', () => {
  test('stay until they are dismissed, one by one or all', async () => {
    const records = [over('net-50000', 2), over('net-50000', 1), over('sim-1', 1)];
    const ended = new EndedSessions(() => records, new FakeMemory());
    expect(ended.all).toHaveLength(3);
    await ended.dismiss('net-50000.1');
    expect(ended.all.map(endedKey)).toEqual(['net-50000.2', 'sim-1.1']);
    await ended.dismiss();
    expect(ended.all).toEqual([]);
  });

  test('are forgotten over windows only as the memory says', async () => {
    const memory = new FakeMemory();
    const records = [over('net-50000', 1)];
    await new EndedSessions(() => records, memory).dismiss();
    expect(new EndedSessions(() => records, memory).all).toEqual([]);
  });

  test.each<[string, Partial<Ended>, boolean]>([
    ['halted because a person left it so', { guest: 'frozen', how: 'stopped' }, false],
    ['halted when its host died', { guest: 'frozen', how: 'host-gone' }, true],
    ['perhaps halted when its host died', { guest: 'unknown', how: 'host-gone' }, true],
    ['rescued since', { guest: 'frozen', how: 'host-gone', rescuedAt: NOW }, false],
    ['running', { guest: 'running', how: 'kd-ended' }, false],
  ])('a guest that is %s may need a rescue: %o', (_what, ended, frozen) => {
    expect(mayBeFrozen(over('net-50000', 1, ended))).toBe(frozen);
  });
});
