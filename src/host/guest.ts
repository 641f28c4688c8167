/**
 * The rules that keep a guest from staying frozen by accident (design.md §3), as a pure reducer.
 *
 * A halt that an agent caused ends by itself: when nobody used it for the lease, or when nobody is connected any more.
 * What a person or the target halted stays, and so does a crash. Times are those of {@link Clock.monotonic}.
 */
import type { HaltCause } from '../kd/model.ts';

export interface GuestRules {
  /** Milliseconds without activity after which an agent's halt ends; 0 = never. */
  readonly leaseMs: number;
  /** Milliseconds with nobody connected after which an agent's halt ends. */
  readonly graceMs: number;
}

export interface GuestState {
  readonly halt?: { readonly generation: number; readonly cause: HaltCause };
  /** The target bugchecked and has not restarted: running it on would lose the crash. */
  readonly crashed: boolean;
  readonly busy: boolean;
  readonly pinnedBy?: string;
  readonly controlledBy?: string;
  readonly clients: number;
  readonly persons: number;
  /** Requests that wait for the target: each is activity as long as it lasts. */
  readonly holds: number;
  readonly lastActivity: number;
  readonly aloneSince?: number;
  readonly personlessSince?: number;
}

export type GuestEvent =
  | {
      readonly kind: 'halted';
      readonly generation: number;
      readonly cause: HaltCause;
      readonly step: boolean;
    }
  | { readonly kind: 'bugcheck' }
  | { readonly kind: 'restarted' }
  | { readonly kind: 'running' }
  | { readonly kind: 'busy'; readonly busy: boolean }
  | { readonly kind: 'activity' }
  | { readonly kind: 'hold'; readonly change: 1 | -1 }
  | { readonly kind: 'clients'; readonly clients: number; readonly persons: number }
  /** A person sent a command: the halt is theirs from now on. */
  | { readonly kind: 'claimed'; readonly cause: HaltCause }
  | { readonly kind: 'pinned'; readonly by: string | undefined }
  | { readonly kind: 'controlled'; readonly by: string | undefined }
  /** The machine slept, or this process did: nobody could have been active. */
  | { readonly kind: 'woke' };

/** What is due: end the halt because nobody used it, because nobody is there, or give control back. */
export type GuestDuty = 'lease' | 'orphan' | 'control';

export function initialGuest(now: number): GuestState {
  return {
    crashed: false,
    busy: false,
    clients: 0,
    persons: 0,
    holds: 0,
    lastActivity: now,
    aloneSince: now,
    personlessSince: now,
  };
}

export function reduceGuest(state: GuestState, event: GuestEvent, now: number): GuestState {
  switch (event.kind) {
    case 'halted': {
      // A step does not change whose halt it is: an agent's `p` must not put a person's halt on a lease.
      const before = state.halt?.cause;
      const cause = event.step && before !== undefined ? before : event.cause;
      return { ...state, halt: { generation: event.generation, cause }, lastActivity: now };
    }
    case 'bugcheck':
      return { ...state, crashed: true };
    case 'restarted':
      return { ...withoutHalt(state), crashed: false };
    case 'running':
      return withoutHalt(state);
    case 'busy':
      return { ...state, busy: event.busy, lastActivity: now };
    case 'activity':
      return { ...state, lastActivity: now };
    case 'hold':
      return { ...state, holds: state.holds + event.change, lastActivity: now };
    case 'clients': {
      const { aloneSince, personlessSince, ...rest } = state;
      return {
        ...rest,
        clients: event.clients,
        persons: event.persons,
        ...(event.clients === 0 ? { aloneSince: aloneSince ?? now } : {}),
        ...(event.persons === 0 ? { personlessSince: personlessSince ?? now } : {}),
      };
    }
    case 'claimed':
      return state.halt === undefined
        ? state
        : { ...state, halt: { ...state.halt, cause: event.cause }, lastActivity: now };
    case 'pinned': {
      const { pinnedBy: _, ...rest } = state;
      return { ...rest, ...(event.by === undefined ? {} : { pinnedBy: event.by }), lastActivity: now };
    }
    case 'controlled': {
      const { controlledBy: _, ...rest } = state;
      return event.by === undefined ? rest : { ...rest, controlledBy: event.by };
    }
    case 'woke':
      return {
        ...state,
        lastActivity: now,
        ...(state.aloneSince === undefined ? {} : { aloneSince: now }),
        ...(state.personlessSince === undefined ? {} : { personlessSince: now }),
      };
  }
}

/** A pin belongs to one halt, and so does a halt's owner. */
function withoutHalt(state: GuestState): GuestState {
  const { halt: _halt, pinnedBy: _pin, ...rest } = state;
  return rest;
}

/** When the lease ends this halt; undefined when it does not, or not while it is in use. */
export function leaseEnd(state: GuestState, rules: GuestRules): number | undefined {
  if (!endsByItself(state) || rules.leaseMs <= 0 || state.busy || state.holds > 0) return undefined;
  return state.lastActivity + rules.leaseMs;
}

/** When the halt ends because nobody is there. A command that still runs does not keep it. */
export function orphanEnd(state: GuestState, rules: GuestRules): number | undefined {
  return endsByItself(state) && state.aloneSince !== undefined ? state.aloneSince + rules.graceMs : undefined;
}

/** When control goes back to everybody because the last person is gone. */
export function controlEnd(state: GuestState, rules: GuestRules): number | undefined {
  if (state.controlledBy === undefined || state.personlessSince === undefined) return undefined;
  return state.personlessSince + rules.graceMs;
}

/** When to look again; undefined when nothing will come due by itself. */
export function nextDuty(state: GuestState, rules: GuestRules): number | undefined {
  const times = [leaseEnd(state, rules), orphanEnd(state, rules), controlEnd(state, rules)];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

export function dueDuty(state: GuestState, rules: GuestRules, now: number): GuestDuty | undefined {
  const due = (time: number | undefined): boolean => time !== undefined && time <= now;
  if (due(orphanEnd(state, rules))) return 'orphan';
  if (due(leaseEnd(state, rules))) return 'lease';
  return due(controlEnd(state, rules)) ? 'control' : undefined;
}

function endsByItself(state: GuestState): boolean {
  return state.halt?.cause.kind === 'agent' && state.pinnedBy === undefined && !state.crashed;
}
