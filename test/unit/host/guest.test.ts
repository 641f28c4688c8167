import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  dueDuty,
  type GuestDuty,
  type GuestEvent,
  type GuestState,
  initialGuest,
  nextDuty,
  reduceGuest,
} from '../../../src/host/guest.ts';
import { GuestKeeper } from '../../../src/host/keeper.ts';
import type { HaltCause } from '../../../src/kd/model.ts';
import { FakeClock } from './fake-clock.ts';

const RULES = { leaseMs: 300_000, graceMs: 60_000 };
const AGENT: HaltCause = { kind: 'agent', name: 'a' };
const PERSON: HaltCause = { kind: 'person', name: 'p' };
const halted = (cause: HaltCause, generation = 1, step = false): GuestEvent => ({
  kind: 'halted',
  generation,
  cause,
  step,
});
const clients = (agents: number, persons = 0): GuestEvent => ({
  kind: 'clients',
  clients: agents + persons,
  persons,
});

describe('the guest-keeping rules', () => {
  let clock: FakeClock;
  let duties: GuestDuty[];
  let keeper: GuestKeeper;
  beforeEach(() => {
    clock = new FakeClock();
    duties = [];
    keeper = new GuestKeeper(RULES, clock, (duty) => {
      duties.push(duty);
      keeper.dispatch(duty === 'control' ? { kind: 'controlled', by: undefined } : { kind: 'running' });
    });
    keeper.dispatch(clients(1));
  });

  test('an agent’s halt ends after the lease', () => {
    keeper.dispatch(halted(AGENT));
    expect(keeper.leaseEndsAt).toBe(clock.wall() + 300_000);
    clock.pass(299_999);
    expect(duties).toEqual([]);
    clock.pass(1);
    expect(duties).toEqual(['lease']);
  });

  test.each([
    ['a person', PERSON],
    ['the target', { kind: 'target' }],
    ['nobody knows who', { kind: 'unknown' }],
  ] satisfies [string, HaltCause][])(
    'a halt caused by %s stays, even when nobody is connected',
    (_who, cause) => {
      keeper.dispatch(halted(cause));
      keeper.dispatch(clients(0));
      clock.pass(86_400_000);
      expect(duties).toEqual([]);
      expect(keeper.leaseEndsAt).toBeUndefined();
    },
  );

  test.each<[string, GuestEvent]>([
    ['a command or a typed key', { kind: 'activity' }],
    ['a command that ends', { kind: 'busy', busy: false }],
    ['a wait that ends', { kind: 'hold', change: -1 }],
  ])('the lease begins anew with %s', (_what, event) => {
    keeper.dispatch(halted(AGENT));
    if (event.kind === 'hold') keeper.dispatch({ kind: 'hold', change: 1 });
    clock.pass(200_000);
    keeper.dispatch(event);
    clock.pass(299_000);
    expect(duties).toEqual([]);
    clock.pass(1_000);
    expect(duties).toEqual(['lease']);
  });

  test('a busy session and a wait in progress hold the lease', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch({ kind: 'busy', busy: true });
    clock.pass(3_600_000);
    keeper.dispatch({ kind: 'hold', change: 1 });
    keeper.dispatch({ kind: 'busy', busy: false });
    clock.pass(3_600_000);
    expect(duties).toEqual([]);
  });

  test('a pin keeps an agent’s halt, for this halt only', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch({ kind: 'pinned', by: 'p' });
    keeper.dispatch(clients(0));
    clock.pass(86_400_000);
    expect(duties).toEqual([]);
    keeper.dispatch({ kind: 'running' });
    expect(keeper.state.pinnedBy).toBeUndefined();
    keeper.dispatch(clients(1));
    keeper.dispatch(halted(AGENT, 2));
    clock.pass(300_000);
    expect(duties).toEqual(['lease']);
  });

  test('a pin that is given back puts the halt on the lease again', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch({ kind: 'pinned', by: 'p' });
    clock.pass(1_000_000);
    keeper.dispatch({ kind: 'pinned', by: undefined });
    clock.pass(299_999);
    expect(duties).toEqual([]);
    clock.pass(1);
    expect(duties).toEqual(['lease']);
  });

  test('a person’s command makes the halt theirs', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch({ kind: 'claimed', cause: PERSON });
    clock.pass(86_400_000);
    expect(duties).toEqual([]);
  });

  test('a step does not change whose halt it is', () => {
    keeper.dispatch(halted(PERSON));
    keeper.dispatch(halted(AGENT, 2, true));
    expect(keeper.state.halt).toEqual({ generation: 2, cause: PERSON });
    keeper.dispatch({ kind: 'running' });
    keeper.dispatch(halted(AGENT, 3, true));
    expect(keeper.state.halt?.cause).toEqual(AGENT);
  });

  test('a crash is never resumed by itself, until the target has restarted', () => {
    keeper.dispatch({ kind: 'bugcheck' });
    keeper.dispatch(halted(AGENT));
    keeper.dispatch(clients(0));
    clock.pass(86_400_000);
    expect(duties).toEqual([]);
    keeper.dispatch({ kind: 'restarted' });
    keeper.dispatch(halted(AGENT, 2));
    clock.pass(0);
    expect(duties).toEqual(['orphan']);
  });

  test('with nobody connected an agent’s halt ends after the grace time, also while a command runs', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch({ kind: 'busy', busy: true });
    keeper.dispatch(clients(0));
    clock.pass(59_999);
    expect(duties).toEqual([]);
    clock.pass(1);
    expect(duties).toEqual(['orphan']);
  });

  test('a client that comes back in time keeps the halt', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch(clients(0));
    clock.pass(50_000);
    keeper.dispatch(clients(0, 1));
    clock.pass(50_000);
    expect(duties).toEqual([]);
  });

  test('a halt that comes when nobody has been there for long ends at once', () => {
    keeper.dispatch(clients(0));
    clock.pass(600_000);
    keeper.dispatch(halted(AGENT));
    clock.pass(0);
    expect(duties).toEqual(['orphan']);
  });

  test.each([true, false])(
    'after the machine slept both times begin anew (clock counts the sleep: %s)',
    (counted) => {
      keeper.dispatch(halted(AGENT));
      keeper.dispatch(clients(0));
      clock.pass(30_000);
      clock.sleep(3_600_000, counted);
      clock.pass(20_000);
      expect(duties).toEqual([]);
      clock.pass(60_000);
      expect(duties).toEqual(['orphan']);
    },
  );

  test('something that happens right after the sleep does not hide it', () => {
    keeper.dispatch(halted(AGENT));
    keeper.dispatch(clients(0));
    clock.pass(30_000);
    clock.sleep(3_600_000, true);
    keeper.dispatch({ kind: 'busy', busy: false });
    clock.pass(59_000);
    expect(duties).toEqual([]);
    clock.pass(1_000);
    expect(duties).toEqual(['orphan']);
  });

  test('control goes back to everybody when the last person has been gone for the grace time', () => {
    keeper.dispatch(clients(1, 1));
    keeper.dispatch({ kind: 'controlled', by: 'p' });
    keeper.dispatch(clients(1, 0));
    clock.pass(59_999);
    expect(duties).toEqual([]);
    clock.pass(1);
    expect(duties).toEqual(['control']);
  });

  test('whatever happens, only a halt that an agent caused is ever resumed', () => {
    const cause = fc.constantFrom<HaltCause>(AGENT, PERSON, { kind: 'target' }, { kind: 'unknown' });
    const event: fc.Arbitrary<GuestEvent> = fc.oneof(
      fc.record({ kind: fc.constant('halted' as const), generation: fc.nat(9), cause, step: fc.boolean() }),
      fc.constant<GuestEvent>({ kind: 'running' }),
      fc.constant<GuestEvent>({ kind: 'bugcheck' }),
      fc.constant<GuestEvent>({ kind: 'restarted' }),
      fc.constant<GuestEvent>({ kind: 'activity' }),
      fc.constant<GuestEvent>({ kind: 'claimed', cause: PERSON }),
      fc.constant<GuestEvent>({ kind: 'woke' }),
      fc.record({ kind: fc.constant('busy' as const), busy: fc.boolean() }),
      fc.record({
        kind: fc.constant('pinned' as const),
        by: fc.option(fc.constant('p'), { nil: undefined }),
      }),
      fc.nat(2).map((count) => clients(count)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat(400_000))), (events) => {
        let state: GuestState = initialGuest(0);
        let now = 0;
        for (const [one, ms] of events) {
          state = reduceGuest(state, one, now);
          now += ms;
          const duty = dueDuty(state, RULES, now);
          if (duty !== 'lease' && duty !== 'orphan') continue;
          expect(state.halt?.cause.kind).toBe('agent');
          expect(state.crashed || state.pinnedBy !== undefined).toBe(false);
          expect(nextDuty(state, RULES)).toBeLessThanOrEqual(now);
        }
      }),
    );
  });
});
