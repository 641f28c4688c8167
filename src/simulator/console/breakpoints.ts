/** The debugger's breakpoints: what is in memory while the guest runs. */

import { insertPatches } from '../machine/halting.ts';
import type { ModuleDefinition } from '../machine/modules.ts';
import { CommandError } from './command.ts';
import type { Breakpoint, Debugger } from './debugger.ts';
import { evaluate } from './expression.ts';

/** Addresses that get a break instruction when the guest runs. */
export function patchAddresses(kd: Debugger): bigint[] {
  return kd.breakpoints.flatMap((b) =>
    b.enabled && b.address !== undefined && !b.access ? [b.address] : [],
  );
}

/** The lowest number that no breakpoint has. */
export function freeNumber(kd: Debugger): number {
  for (let id = 0; ; id++) if (!kd.breakpoints.some((b) => b.id === id)) return id;
}

/** Adds a breakpoint that hits at its first pass and has no command. */
export function addPlain(
  kd: Debugger,
  place: Pick<Breakpoint, 'address' | 'expression'>,
  more: Pick<Breakpoint, 'once' | 'untilStop'>,
): Breakpoint {
  const id = freeNumber(kd);
  const breakpoint = { id, enabled: true, ...place, command: '', passes: 1, left: 1, ...more };
  kd.breakpoints.push(breakpoint);
  return breakpoint;
}

/** Address of an expression, or undefined where it cannot be resolved yet. */
export function tryEvaluate(kd: Debugger, expression: string): bigint | undefined {
  try {
    return evaluate(kd, expression);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** Deferred breakpoints become real once their module is known. */
export function resolveBreakpoints(kd: Debugger, loaded?: ModuleDefinition): void {
  if (loaded) kd.heard.add(loaded.name);
  for (const breakpoint of kd.breakpoints) breakpoint.address ??= tryEvaluate(kd, breakpoint.expression);
  if (kd.machine.state === 'running') insertPatches(kd.machine, patchAddresses(kd));
}
