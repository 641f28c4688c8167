/** Guests that a window frees by itself, and those it leaves to the person. */
import { afterEach, describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../../src/host/protocol.ts';
import { AutoRescue } from '../../../src/ui/auto-rescue.ts';
import type { FrozenGuest } from '../../../src/ui/backstage.ts';
import { LiveSessions } from '../../../src/ui/live-sessions.ts';
import { FakeSessions, NOW, record } from './fake-sessions.ts';

const disposables: { dispose(): void }[] = [];
afterEach(() => {
  for (const each of disposables.splice(0)) each.dispose();
});

const frozen = (change: Partial<NonNullable<SessionRecord['ended']>> = {}): SessionRecord => ({
  ...record('net-50000'),
  state: 'ended',
  ended: { at: NOW, reason: 'Its host is gone.', guest: 'frozen', how: 'host-gone', ...change },
});
const guest: FrozenGuest = { id: 'net-50000', title: 'KDNET port 50000', port: 50_000, needsKey: false };

async function look(over: readonly SessionRecord[], guests: readonly FrozenGuest[], key?: string) {
  const fake = new FakeSessions();
  fake.over = over;
  const sessions = new LiveSessions(fake, () => {});
  const asked: string[] = [];
  const told: string[] = [];
  const rescue = new AutoRescue({
    sessions,
    backstage: async () => ({
      frozenGuests: async () => guests,
      rescue: async (id, given) => {
        asked.push(`${id} ${given ?? 'without a key'}`);
        return { id, outcome: 'resumed', detail: '' };
      },
    }),
    keptKey: async () => key,
    tell: (id) => told.push(id),
    onProblem: (problem) => told.push(problem),
  });
  disposables.push(rescue, sessions);
  await sessions.refresh();
  await rescue.idle;
  await sessions.refreshAll();
  await rescue.idle;
  return { asked, told };
}

describe('a window that finds a guest left frozen', () => {
  test('frees it once, and says so', async () => {
    expect(await look([frozen()], [guest])).toEqual({
      asked: ['net-50000 without a key'],
      told: ['net-50000'],
    });
  });

  test('takes the key that was typed once, when it is all that is missing', async () => {
    const keyless: FrozenGuest = { ...guest, needsKey: true, onlyKey: true, ask: 'No key.' };
    expect((await look([frozen()], [keyless], '1.2.3.4')).asked).toEqual(['net-50000 1.2.3.4']);
    expect((await look([frozen()], [keyless])).asked).toEqual([]);
  });

  test.each<[string, readonly SessionRecord[], readonly FrozenGuest[]]>([
    ['somebody would miss the halt', [frozen()], [{ ...guest, ask: 'A person pinned this halt.' }]],
    [
      'somebody would miss the halt and no key is known',
      [frozen()],
      [{ ...guest, needsKey: true, ask: 'It crashed.' }],
    ],
    ['it was left so on purpose', [frozen({ how: 'stopped' })], [guest]],
    ['another session has it', [frozen()], []],
  ])('leaves it when %s', async (_why, over, guests) => {
    expect(await look(over, guests, '1.2.3.4')).toEqual({ asked: [], told: [] });
  });
});
