import { expect, test, vi } from 'vitest';
import { LiveSessions } from '../../../src/ui/live-sessions.ts';
import { FakeSession, FakeSessions, NOW, sessionInfo } from './fake-sessions.ts';

const named = (id: string, status: Parameters<typeof sessionInfo>[0] = {}) =>
  new FakeSession(sessionInfo(status, { id }));

function live() {
  const sessions = new FakeSessions();
  const problem = vi.fn();
  const subject = new LiveSessions(sessions, problem);
  return { sessions, subject, problem, ids: () => subject.all.map((each) => `${each.id} ${each.kind}`) };
}

test('a session that somebody else started is joined when its record appears', async () => {
  const { sessions, subject, ids } = live();
  await subject.refresh();
  expect(ids()).toEqual([]);
  sessions.live.set('net-50000', named('net-50000'));
  sessions.announce();
  await vi.waitFor(() => expect(ids()).toEqual(['net-50000 joined']));
});

test('a session is joined once, however often its record changes', async () => {
  const { sessions, subject } = live();
  sessions.live.set('net-50000', named('net-50000'));
  await Promise.all([subject.refresh(), subject.refresh()]);
  sessions.announce();
  await subject.refresh();
  expect(sessions.opened).toBe(1);
});

test('a session that cannot be joined is shown with the reason, and the others all the same', async () => {
  const { sessions, subject, ids, problem } = live();
  sessions.live.set('com1', new Error('Its program is another version: update this window.'));
  sessions.live.set('net-50000', named('net-50000'));
  await subject.refresh();
  expect(ids()).toEqual(['com1 apart', 'net-50000 joined']);
  expect(problem).toHaveBeenCalledOnce();
});

test('a session that did not answer is looked at again without a sign: it answers later, or is gone', async () => {
  const { sessions, subject } = live();
  sessions.live.set('com1', new Error('No answer.'));
  sessions.live.set('usb1', new Error('No answer.'));
  await subject.refresh();
  expect(subject.all.map((each) => each.kind)).toEqual(['apart', 'apart']);
  sessions.live.set('com1', named('com1'));
  sessions.live.delete('usb1');
  await vi.waitFor(() => expect(subject.all).toMatchObject([{ id: 'com1', kind: 'joined' }]), 5000);
});

test('a session that ends goes, and one whose connection only broke is joined again', async () => {
  const { sessions, subject, ids } = live();
  const ends = named('com1');
  const breaks = named('net-50000');
  sessions.live.set('com1', ends);
  sessions.live.set('net-50000', breaks);
  await subject.refresh();
  sessions.live.delete('com1');
  ends.close();
  const again = named('net-50000');
  sessions.live.set('net-50000', again);
  breaks.close();
  await vi.waitFor(() => expect(subject.find('net-50000')).toBe(again));
  expect(ids()).toEqual(['net-50000 joined']);
});

test('the current session is the one last used, else a halted one', async () => {
  const { sessions, subject } = live();
  sessions.live.set('a', named('a'));
  sessions.live.set(
    'b',
    named('b', {
      state: 'broken',
      halt: { since: NOW, cause: { kind: 'target' }, event: { kind: 'stop', at: NOW, text: '' } },
    }),
  );
  await subject.refresh();
  expect(subject.current?.id).toBe('b');
  subject.use('a');
  expect(subject.current?.id).toBe('a');
});

test('listeners hear of a change of state', async () => {
  const { sessions, subject } = live();
  const session = named('a');
  sessions.live.set('a', session);
  await subject.refresh();
  const heard = vi.fn();
  subject.onChange(heard);
  session.change(sessionInfo({ state: 'breaking' }, { id: 'a' }));
  expect(heard).toHaveBeenCalledOnce();
});

test('leaving the window leaves the sessions and ends none', async () => {
  const { sessions, subject } = live();
  const session = named('a');
  sessions.live.set('a', session);
  await subject.refresh();
  subject.dispose();
  expect(session.connected).toBe(false);
  expect(session.asked).toEqual([]);
});
