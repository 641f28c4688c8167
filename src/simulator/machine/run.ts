/** How the guest starts and stops: what a debugger may ask of it and what it does by itself. */
import { at, DISPATCH_STACK, halt, IDLE_STACK, INT3, insertPatches, LOAD_STACK, place } from './halting.ts';
import { addModule, type Machine, removeModule } from './machine.ts';
import { readNumber, writeNumber } from './memory.ts';
import type { ModuleDefinition } from './modules.ts';
import { reboot } from './power.ts';
import { addressOf } from './symbols.ts';
import { stopAt, watchMet } from './watch.ts';

/**
 * The debugger asked the guest to stop. A guest that has just stopped for another reason owes a stop for it;
 * two requests in a row cause one stop only (engine.md §6).
 */
export function breakIn(machine: Machine): void {
  if (machine.state === 'halted' && machine.stop?.kind !== 'break') machine.owedBreaks++;
  if (machine.state !== 'running') return;
  machine.interrupts++;
  machine.current = machine.breakProcessor;
  place(machine, at(machine, 'nt!DbgBreakPointWithStatus'), IDLE_STACK).rcx = 1n;
  halt(machine, { kind: 'break' });
}

/** The debugger lets a halted guest run. After a bugcheck the guest restarts. */
export function resume(machine: Machine, breakpoints: readonly bigint[]): void {
  if (machine.state !== 'halted') return;
  machine.stop = undefined;
  machine.state = 'running';
  if (machine.bugcheck) {
    reboot(machine);
    return;
  }
  insertPatches(machine, breakpoints);
  machine.listener?.({ kind: 'run' });
}

/** Delivers a break that is owed to the guest that runs again. Returns whether there was one. */
export function payOwedBreak(machine: Machine): boolean {
  if (machine.owedBreaks === 0 || machine.state !== 'running') return false;
  machine.owedBreaks--;
  breakIn(machine);
  return true;
}

/** Moves a halted processor behind the break instruction it stands on, as a debugger does when it leaves. */
export function stepOverBreak(machine: Machine): void {
  const processor = machine.processors[machine.current];
  if (machine.state !== 'halted' || !processor) return;
  if (readNumber(machine.memory, processor.rip, 1) === INT3) processor.rip += 1n;
}

/** A processor of the running guest executes a function, which may hold a breakpoint. */
export function execute(machine: Machine, symbol: string): 'ran' | 'stopped' | 'unknown' {
  if (machine.state !== 'running') return 'unknown';
  const address = addressOf(machine.modules, symbol);
  if (address === undefined) return 'unknown';
  const counter = addressOf(machine.modules, 'mydriver!g_Counter');
  const counts = counter !== undefined && symbol.toLowerCase().startsWith('mydriver!');
  if (counts) writeNumber(machine.memory, counter, 4, (readNumber(machine.memory, counter, 4) ?? 0n) + 1n);
  const stop = stopAt(machine, address);
  if (stop) {
    place(machine, address, DISPATCH_STACK);
    halt(machine, stop);
    return 'stopped';
  }
  const number = counts ? watchMet(machine, 'write', counter, 4) : undefined;
  if (number === undefined) return 'ran';
  // The processor stands behind the instruction that wrote.
  place(machine, address + 2n, DISPATCH_STACK);
  halt(machine, { kind: 'watch', number, address: address + 2n });
  return 'stopped';
}

/** The guest prints. */
export function print(machine: Machine, text: string): void {
  machine.listener?.({ kind: 'print', text });
}

/** A processor of the running guest meets a break instruction of the driver's own. */
export function hitHardBreak(machine: Machine, symbol: string): void {
  const address = addressOf(machine.modules, symbol);
  if (machine.state !== 'running' || address === undefined) return;
  place(machine, address, DISPATCH_STACK);
  halt(machine, { kind: 'int3', address });
}

/** The running guest loads a driver. */
export function loadModule(machine: Machine, name: string): ModuleDefinition | undefined {
  const bare = name.toLowerCase().replace(/\.(sys|dll|exe)$/, '');
  const module = machine.installed.find((m) => m.name === bare);
  if (!module || machine.state !== 'running') return undefined;
  if (!machine.modules.includes(module)) addModule(machine, module);
  if (machine.stopAtLoad?.(module)) {
    place(machine, at(machine, 'nt!DebugService2') + 5n, LOAD_STACK);
    halt(machine, { kind: 'load', module });
  } else {
    machine.listener?.({ kind: 'load', module });
  }
  return module;
}

/** A kernel that has just booted tells the debugger that it is there, as with any module (kd-behaviour.md §3.5). */
export function announceKernel(machine: Machine): void {
  const kernel = machine.modules.find((m) => m.name === 'nt');
  if (machine.state !== 'running' || !kernel) return;
  print(machine, 'KDTARGET: Refreshing KD connection\n');
  place(machine, at(machine, 'nt!DebugService2') + 5n, LOAD_STACK);
  halt(machine, { kind: 'load', module: kernel });
}

/** The running guest unloads a driver. */
export function unloadModule(machine: Machine, name: string): ModuleDefinition | undefined {
  const module = machine.modules.find((m) => m.name === name.toLowerCase().replace(/\.(sys|dll)$/, ''));
  if (!module || module.name === 'nt' || machine.state !== 'running') return undefined;
  removeModule(machine, module);
  if (machine.stopAtUnload?.(module)) {
    place(machine, at(machine, 'nt!DebugService2') + 5n, LOAD_STACK);
    halt(machine, { kind: 'unload', module });
  } else machine.listener?.({ kind: 'unload', module });
  return module;
}

export const ASSERTION =
  '\n*** Assertion failed: Irp->IoStatus.Status != STATUS_PENDING\n' +
  '***   Source File: d:\\drv\\mydriver\\dispatch.c, line 42\n\n' +
  'Break repeatedly, break Once, Ignore, terminate Process, or terminate Thread (boipt)? ';

/** A driver of the running guest asks the debugger's user and waits for the answer. */
export function ask(machine: Machine, text: string): void {
  if (machine.state === 'running') machine.listener?.({ kind: 'ask', text });
}
