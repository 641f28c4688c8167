import { describe, expect, test } from 'vitest';
import type { KdState } from '../../../src/kd/model.ts';
import { duration } from '../../../src/ui/duration.ts';
import { english } from '../../../src/ui/l10n.ts';
import { sessionLook, statusText } from '../../../src/ui/session-look.ts';
import { NOW, sessionInfo } from './fake-sessions.ts';

const copilot = { kind: 'agent', name: 'Copilot' } as const;

describe('what a session looks like', () => {
  test('the status bar names the session, its state and since when', () => {
    const info = sessionInfo({
      state: 'broken',
      since: NOW - 12_000,
      halt: { since: NOW - 12_000, cause: copilot, event: { kind: 'break-in', at: NOW, text: '' } },
    });
    expect(statusText(info, NOW, english).text).toBe('$(debug-pause) net-50000 halted 12 s');
  });

  test.each([
    [59, 60, 'break-in', undefined],
    [60, 60, 'break-in', 'warning'],
    [3600, 0, 'break-in', undefined],
    [0, 60, 'bugcheck', 'error'],
  ] as const)('halted for %d s with a limit of %d s by a %s: the alarm is %s', (sec, limit, kind, alarm) => {
    const event = kind === 'bugcheck' ? { kind, code: 'd1', args: [] } : { kind };
    const since = NOW - sec * 1000;
    const info = sessionInfo({
      state: 'broken',
      halt: { since, cause: copilot, event: { ...event, at: since, text: '' } },
    });
    expect(statusText(info, NOW, english, limit).alarm).toBe(alarm);
  });

  test('the guest is frozen since its halt, not since the last command', () => {
    const info = sessionInfo({
      state: 'busy',
      since: NOW - 1000,
      halt: { since: NOW - 125_000, cause: copilot, event: { kind: 'break-in', at: NOW, text: '' } },
    });
    expect(sessionLook(info, NOW, english).description).toBe('busy 2 min');
  });

  test.each<[KdState, string]>([
    ['starting', 'starting 12 s'],
    ['waiting', 'linked 12 s'],
    ['running', 'running 12 s'],
    ['breaking', 'breaking in 12 s'],
    ['broken', 'halted 12 s'],
    ['busy', 'busy 12 s'],
    ['asking', 'asks for input 12 s'],
    ['ended', 'ended 12 s'],
  ])('state %s reads "%s"', (state, words) => {
    const look = sessionLook(sessionInfo({ state }), NOW, english);
    expect(look.description).toBe(words);
    expect(look.contextValue).toBe(`session.${state}`);
  });

  test('a halt says who caused it, what stopped, and when it ends by itself', () => {
    const info = sessionInfo(
      {
        state: 'broken',
        halt: {
          since: NOW,
          cause: copilot,
          event: { kind: 'breakpoint', number: 2, at: NOW, text: 'Breakpoint 2 hit' },
        },
      },
      { leaseEndsAt: NOW + 240_000 },
    );
    const rows = sessionLook(info, NOW, english).rows.map((row) => [row.label, row.description]);
    expect(rows).toContainEqual(['Breakpoint 2', 'by Copilot (agent), 0 s']);
    expect(rows).toContainEqual(['Resumes by itself', 'in 4 min']);
  });

  test('the target is named shortly, and in full in its tooltip', () => {
    const description = 'Windows 10 Kernel Version 19041 MP (2 procs) Free x64';
    const info = sessionInfo({ target: { description, architecture: 'x64' } }, { guestHost: '10.0.0.7' });
    expect(sessionLook(info, NOW, english).rows[0]).toMatchObject({
      label: 'Windows 10 19041 x64',
      description: '10.0.0.7',
      tooltip: description,
    });
  });

  test('a running target shows its last stop', () => {
    const info = sessionInfo({
      lastEvent: { kind: 'bugcheck', code: '000000d1', args: [], at: NOW - 5000, text: '' },
    });
    expect(sessionLook(info, NOW, english).rows).toContainEqual(
      expect.objectContaining({ label: 'Bugcheck 0xD1', description: '5 s ago' }),
    );
  });

  test('breakpoints are listed with who set them, and the last commands with their origin', () => {
    const info = sessionInfo(
      {},
      { breakpoints: [{ number: 0, command: 'bp nt!NtCreateFile', by: copilot, enabled: false }] },
    );
    const past = [
      { seq: 2, text: 'foo', by: copilot, at: NOW - 5000, error: "^ Syntax error in 'foo'" },
      { seq: 1, text: 'lm', by: { kind: 'person', name: 'Minsu' }, at: NOW - 60_000 },
    ] as const;
    const { rows } = sessionLook(info, NOW, english, past);
    const below = (key: string) =>
      rows.find((row) => row.key === key)?.children?.map((row) => [row.label, row.description, row.icon.id]);
    expect(below('breakpoints')).toEqual([
      ['0  bp nt!NtCreateFile', 'by Copilot, disabled', 'debug-breakpoint-disabled'],
    ]);
    expect(below('past')).toEqual([
      ['foo', 'Copilot, 5 s ago', 'error'],
      ['lm', 'Minsu, 1 min ago', 'account'],
    ]);
  });

  test('a pin and who has control are in the context value, for menus', () => {
    const info = sessionInfo({ state: 'broken' }, { pinnedBy: 'Minsu', controlledBy: 'Minsu' });
    expect(sessionLook(info, NOW, english).contextValue).toBe('session.broken.pinned.controlled');
  });

  test('clients are named, agents told apart from people, and control is shown', () => {
    const info = sessionInfo(
      {},
      {
        clients: [
          { identity: copilot, since: NOW - 3000 },
          { identity: { kind: 'person', name: 'Minsu' }, since: NOW },
        ],
        controlledBy: 'Minsu',
      },
    );
    const rows = sessionLook(info, NOW, english).rows.filter((row) => row.key.startsWith('client'));
    expect(rows.map((row) => [row.label, row.description, row.icon.id])).toEqual([
      ['Copilot', 'agent, 3 s', 'hubot'],
      ['Minsu', 'in control', 'account'],
    ]);
  });
});

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_500_000, '2 h 5 min'],
  [3 * 86_400_000, '3 d'],
])('%d ms reads "%s"', (ms, words) => {
  expect(duration(ms, english)).toBe(words);
});

test('what agents may do is in the tooltip and in a row; hosts that do not judge tell nothing', () => {
  const look = sessionLook(sessionInfo({}, { level: 'inspect' }), NOW, english);
  expect(look.tooltip).toContainEqual(['Agent Level', 'inspect. Agents only read the target.']);
  expect(look.rows).toContainEqual(expect.objectContaining({ key: 'level', description: 'inspect' }));
  expect(sessionLook(sessionInfo(), NOW, english).rows.map(({ key }) => key)).not.toContain('level');
});

test('refused commands, which have no number, have rows of their own', () => {
  const by = { kind: 'agent', name: 'Copilot' } as const;
  const refused = { seq: 0, text: '.shell x', by, at: NOW, error: 'Not sent' };
  const look = sessionLook(sessionInfo(), NOW, english, [refused, refused, { ...refused, seq: 3 }]);
  const keys = look.rows.find(({ key }) => key === 'past')?.children?.map(({ key }) => key);
  expect(new Set(keys).size).toBe(3);
});
