/**
 * What is left when kd has gone and nobody asked for it. The record says it to whoever finds it; and where nobody is
 * connected who could find it, the host, which has the key, starts over with a fresh kd.
 */
import type { Transport } from '../kd/connection.ts';
import type { KdExit } from '../kd/model.ts';
import type { SessionCore } from './core.ts';
import type { GuestState } from './guest.ts';
import type { GuestLeft, SessionRecord } from './protocol.ts';

/** The simulated guest is gone with its kd; a dump and the local kernel never were frozen; a remote one is its owner's. */
const NEVER_FROZEN: readonly Transport[] = ['simulator', 'dump', 'local', 'remote'];

/** May the end of a session of this transport leave a guest frozen? */
function canBeLeftFrozen(transport: Transport): boolean {
  return !NEVER_FROZEN.includes(transport);
}

/** May the guest of a session that is over still be frozen? One that somebody left frozen on purpose is none of ours. */
export function mayBeFrozen({ ended, transport }: SessionRecord): boolean {
  if (ended === undefined || ended.rescuedAt !== undefined || ended.how === 'stopped') return false;
  return canBeLeftFrozen(transport) && (ended.guest === 'frozen' || ended.guest === 'unknown');
}

/** A halt that somebody would miss: a crash, one that is pinned, a person's own. All others may end by themselves. */
export function isWanted({ crashed, pinnedBy, halt }: GuestState): boolean {
  return crashed || pinnedBy !== undefined || halt?.cause.kind === 'person';
}

/** The next hit of a breakpoint that is left in its memory freezes a guest without a debugger (kd-behaviour.md §6.3). */
export function withBreakpoints(guest: GuestLeft, breakpoints: number | undefined): GuestLeft {
  return guest === 'running' && breakpoints !== undefined && breakpoints > 0 ? 'unknown' : guest;
}

/** Said of a guest that runs with them. */
export function breakpointWords(breakpoints: number): string {
  const are = breakpoints === 1 ? 'a breakpoint is' : `${breakpoints} breakpoints are`;
  return `The target was running and ${are} left in its memory: the next hit freezes it. kd-mcp rescue clears them.`;
}

/**
 * `stopped`: somebody asked for it and got it. A guest that stayed frozen although somebody wanted it resumed is one to
 * rescue.
 */
export function howItEnded(
  stopping: SessionCore['stopping'],
  exit: KdExit,
): NonNullable<NonNullable<SessionRecord['ended']>['how']> {
  if (exit.asked) return 'stopped';
  if (stopping === undefined || stopping === 'keep') return 'kd-ended';
  return stopping === 'resume' && (exit.target === 'halted' || exit.target === 'unknown')
    ? 'kd-ended'
    : 'stopped';
}

/** kd is gone, its guest may be frozen, it may run again, and nobody is there to see to it. */
export function isForsaken(core: SessionCore, exit: KdExit, guest: GuestLeft): boolean {
  return (
    core.clients.size === 0 &&
    canBeLeftFrozen(core.facts.transport) &&
    howItEnded(core.stopping, exit) !== 'stopped' &&
    core.stopping !== 'keep' &&
    (guest === 'frozen' || guest === 'unknown') &&
    !isWanted(core.keeper.state)
  );
}
