import { afterEach, describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../../src/host/protocol.ts';
import type { HaltCause, TargetEvent } from '../../../src/kd/model.ts';
import { type Alert, Alerts } from '../../../src/ui/alerts.ts';
import { LiveSessions } from '../../../src/ui/live-sessions.ts';
import { FakeSession, FakeSessions, NOW, record, sessionInfo } from './fake-sessions.ts';

const disposables: { dispose(): void }[] = [];
afterEach(() => {
  for (const each of disposables.splice(0)) each.dispose();
});

const agent: HaltCause = { kind: 'agent', name: 'Copilot' };
const person: HaltCause = { kind: 'person', name: 'Minsu' };
const target: HaltCause = { kind: 'target' };

function halted(cause: HaltCause, event: TargetEvent, since = NOW, leaseEndsAt?: number) {
  return sessionInfo(
    { state: 'broken', halt: { since, cause, event: { ...event, at: since, text: '' } } },
    leaseEndsAt === undefined ? {} : { leaseEndsAt },
  );
}

async function rig(first = sessionInfo()) {
  const fake = new FakeSessions();
  const session = new FakeSession(first);
  fake.live.set(session.id, session);
  const sessions = new LiveSessions(fake, () => {});
  const told: Alert[] = [];
  const state = { now: NOW, watched: '' };
  const alerts = new Alerts({
    sessions,
    tell: (alert) => told.push(alert),
    isWatched: (id) => id === state.watched,
    now: () => state.now,
  });
  disposables.push(alerts, sessions);
  await sessions.refresh();
  return { fake, session, sessions, alerts, told, state, kinds: () => told.map((each) => each.kind) };
}

describe('a person is told', () => {
  test.each<[string, HaltCause, TargetEvent]>([
    ['a breakpoint nobody claims', target, { kind: 'breakpoint', number: 0 }],
    ['a breakpoint of a person', person, { kind: 'breakpoint', number: 1 }],
    ['a crash, whoever it is put down to', agent, { kind: 'bugcheck', code: '0xD1', args: [] }],
    ['a stop without a known cause', { kind: 'unknown' }, { kind: 'stop' }],
  ])('of %s, once', async (_what, cause, event) => {
    const { session, alerts, kinds } = await rig();
    session.change(halted(cause, event));
    alerts.look();
    expect(kinds()).toEqual(['stopped']);
  });

  test.each<[string, HaltCause, TargetEvent]>([
    ["an agent's breakpoint, for which it waits", agent, { kind: 'breakpoint', number: 0 }],
    ["an agent's break", agent, { kind: 'break-in' }],
    ["a person's own break", person, { kind: 'break-in' }],
    ["a person's step", person, { kind: 'step' }],
  ])('nothing of %s', async (_what, cause, event) => {
    const { session, kinds } = await rig();
    session.change(halted(cause, event));
    expect(kinds()).toEqual([]);
  });

  test('nothing of a stop in the terminal they look at', async () => {
    const { session, state, kinds } = await rig();
    state.watched = session.id;
    session.change(halted(target, { kind: 'breakpoint', number: 0 }));
    expect(kinds()).toEqual([]);
  });

  test('nothing of what was so before the window opened', async () => {
    const { alerts, kinds } = await rig(halted(target, { kind: 'breakpoint', number: 0 }));
    alerts.look();
    expect(kinds()).toEqual([]);
  });

  test('once for each halt that its lease is about to end', async () => {
    const { session, alerts, told, state } = await rig();
    session.change(halted(agent, { kind: 'break-in' }, NOW, NOW + 300_000));
    alerts.look();
    expect(told).toEqual([]);
    state.now = NOW + 275_000;
    alerts.look();
    alerts.look();
    expect(told).toMatchObject([{ kind: 'lease', leftMs: 25_000 }]);
    session.change(sessionInfo());
    session.change(halted(agent, { kind: 'break-in' }, state.now, state.now + 20_000));
    expect(told).toHaveLength(2);
  });

  const over = (how: 'stopped' | 'kd-ended' | 'host-gone'): SessionRecord => ({
    ...record('net-50000'),
    state: 'ended',
    ended: { at: NOW, reason: 'It is over.', guest: 'unknown', how },
  });

  test.each([
    ['kd-ended', ['lost']],
    ['host-gone', ['lost']],
    ['stopped', []],
  ] as const)('of a session that ended as "%s": %j', async (how, expected) => {
    const { fake, session, sessions, alerts, kinds } = await rig();
    fake.over = [over(how)];
    fake.live.delete(session.id);
    session.close();
    await sessions.refresh();
    alerts.look();
    expect(kinds()).toEqual(expected);
  });

  test('nothing of sessions that were over before the window opened', async () => {
    const fake = new FakeSessions();
    fake.over = [over('host-gone')];
    const sessions = new LiveSessions(fake, () => {});
    const told: Alert[] = [];
    const alerts = new Alerts({ sessions, tell: (alert) => told.push(alert), isWatched: () => false });
    disposables.push(alerts, sessions);
    await sessions.refresh();
    await sessions.refreshAll();
    expect(told).toEqual([]);
  });
});
