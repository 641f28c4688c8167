/** What a state file means for the sessions there are. */
import { describe, expect, test } from 'vitest';
import type { LiveSession } from '../../../src/ui/live-sessions.ts';
import { stateFileNews } from '../../../src/ui/state-file-news.ts';
import { FakeSession, record, sessionInfo } from './fake-sessions.ts';

const KEY = 'now.a.new.one';
const seen = (port: number) => ({
  guestHost: '10.0.0.5',
  port,
  isKeyOf: (session: { hasKey(key: string): Promise<boolean | undefined> }) => session.hasKey(KEY),
});

function joined(id: string, has: boolean | undefined, guestHost?: string): LiveSession {
  const info = sessionInfo({}, { id, ...(guestHost === undefined ? {} : { guestHost }) });
  const session = new FakeSession(info);
  session.hasKey = async (key) => (key === KEY ? has : undefined);
  return { kind: 'joined', id, session, info };
}

describe('a state file', () => {
  test('of a guest that nobody debugs is new', async () => {
    const others = [
      joined('net-50001', true, '10.0.0.6'),
      joined('sim-1', undefined),
      joined('com-1', undefined),
    ];
    expect(await stateFileNews(seen(50000), [])).toEqual({ kind: 'new' });
    expect(await stateFileNews(seen(5000), others)).toEqual({ kind: 'new' });
  });

  test.each([true, undefined])(
    'that a session runs with, as far as it can tell (%s), is known',
    async (has) => {
      const live = joined('net-50000-2', has);
      expect(await stateFileNews(seen(50000), [live])).toEqual({ kind: 'known', id: 'net-50000-2' });
      const apart = { kind: 'apart', id: 'net-50000', record: record('net-50000'), problem: '' } as const;
      expect(await stateFileNews(seen(50000), [apart])).toEqual({ kind: 'known', id: 'net-50000' });
    },
  );

  test('with another key than the session on its port has is told of that session', async () => {
    const live = joined('net-50000', false);
    expect(await stateFileNews(seen(50000), [live])).toMatchObject({
      kind: 'other-key',
      session: { id: 'net-50000' },
    });
  });

  test('with another port than a session for the same guest has is told of that session', async () => {
    const other = { kind: 'other-port', id: 'net-50000' };
    expect(await stateFileNews(seen(50001), [joined('net-50000', false, '10.0.0.5')])).toEqual(other);
    const apart = { ...record('net-50000'), guestHost: '10.0.0.5' };
    const live: LiveSession = { kind: 'apart', id: 'net-50000', record: apart, problem: '' };
    expect(await stateFileNews(seen(50001), [live])).toEqual(other);
  });
});
