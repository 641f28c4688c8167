/** How the guest starts, stops and dies: what a debugger may ask of it and what it does by itself. */
import { writeLoaderList } from './loader-list.ts';
import { type Machine, resetMemory, STACK_SIZE, type Stop, stackOf } from './machine.ts';
import { readNumber, writeNumber } from './memory.ts';
import { MODULES, type ModuleDefinition } from './modules.ts';
import type { Processor } from './processor.ts';
import { addressOf } from './symbols.ts';

const INT3 = 0xccn;

/** Return addresses of an idle processor that found the debugger's break request in its clock interrupt. */
const IDLE_STACK = [
  'nt!KdCheckForDebugBreak',
  'nt!KeUpdateSystemTime',
  'nt!KiIdleLoop',
  'nt!KiSystemStartup',
];
/** … of a driver's dispatch function under an ioctl. */
const DISPATCH_STACK = [
  'nt!IofCallDriver',
  'nt!IopSynchronousServiceTail',
  'nt!IopXxxControlFile',
  'nt!NtDeviceIoControlFile',
  'nt!KiSystemServiceCopyEnd',
];
const BUGCHECK_STACK = [
  'nt!KiBugCheckDebugBreak',
  'nt!KeBugCheck2',
  'nt!KeBugCheckEx',
  'mydriver!MyCrash',
  ...DISPATCH_STACK,
];
const LOAD_STACK = [
  'nt!DbgLoadImageSymbols',
  'nt!IopLoadDriver',
  'nt!PspSystemThreadStartup',
  'nt!KiStartSystemThread',
];

function at(name: string): bigint {
  return addressOf(MODULES, name) ?? 0n;
}

/** Puts a processor at `rip` with a stack of return addresses; a zero ends it. */
function place(machine: Machine, rip: bigint, callers: readonly string[]): Processor {
  const processor = machine.processors[machine.current];
  if (!processor) throw new Error(`no processor ${machine.current}`);
  const top = stackOf(machine.current) + BigInt(STACK_SIZE) - 8n;
  const rsp = top - BigInt(8 * callers.length);
  callers.forEach((name, i) => {
    writeNumber(machine.memory, rsp + BigInt(8 * i), 8, at(name) + 2n);
  });
  writeNumber(machine.memory, top, 8, 0n);
  processor.rip = rip;
  processor.rsp = rsp;
  return processor;
}

/** The processors that did not report the stop stand in their idle loop. */
function parkOthers(machine: Machine): void {
  const reporting = machine.current;
  for (const [i, processor] of machine.processors.entries()) {
    if (i === reporting || processor.rip !== 0n) continue;
    machine.current = i;
    place(machine, at('nt!KiIdleLoop') + 2n, ['nt!KiSystemStartup']);
  }
  machine.current = reporting;
}

function halt(machine: Machine, stop: Stop): void {
  removePatches(machine);
  parkOthers(machine);
  machine.state = 'halted';
  machine.stop = stop;
  machine.listener?.({ kind: 'stop', stop });
}

/** Writes break instructions at the given addresses, as a debugger does when it lets the guest run. */
export function insertPatches(machine: Machine, addresses: readonly bigint[]): void {
  for (const address of addresses) {
    if (machine.patches.has(address)) continue;
    const original = readNumber(machine.memory, address, 1);
    if (original === undefined) continue;
    machine.patches.set(address, Number(original));
    writeNumber(machine.memory, address, 1, INT3);
  }
}

/** Restores the bytes under all break instructions. */
export function removePatches(machine: Machine): void {
  for (const [address, original] of machine.patches) {
    if (readNumber(machine.memory, address, 1) === INT3)
      writeNumber(machine.memory, address, 1, BigInt(original));
  }
  machine.patches.clear();
}

/**
 * The debugger asked the guest to stop. A guest that has just stopped for another reason owes a stop for it;
 * two requests in a row cause one stop only (engine.md §6).
 */
export function breakIn(machine: Machine): void {
  if (machine.state === 'halted' && machine.stop?.kind !== 'break') machine.owedBreaks++;
  if (machine.state !== 'running') return;
  machine.interrupts++;
  place(machine, at('nt!DbgBreakPointWithStatus'), IDLE_STACK).rcx = 1n;
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

/** A processor of the running guest executes a function, which may hold a break instruction. */
export function execute(machine: Machine, symbol: string): 'ran' | 'stopped' | 'unknown' {
  if (machine.state !== 'running') return 'unknown';
  const address = addressOf(machine.modules, symbol);
  if (address === undefined) return 'unknown';
  const counter = addressOf(machine.modules, 'mydriver!g_Counter');
  if (counter !== undefined && symbol.toLowerCase().startsWith('mydriver!')) {
    writeNumber(machine.memory, counter, 4, (readNumber(machine.memory, counter, 4) ?? 0n) + 1n);
  }
  if (readNumber(machine.memory, address, 1) !== INT3) return 'ran';
  const known = machine.patches.has(address);
  place(machine, address, DISPATCH_STACK);
  halt(machine, known ? { kind: 'breakpoint', address } : { kind: 'int3', address });
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
  const module = MODULES.find((m) => m.name === bare);
  if (!module || machine.state !== 'running') return undefined;
  if (!machine.modules.includes(module)) {
    machine.modules.push(module);
    writeLoaderList(machine.memory, at('nt!PsLoadedModuleList'), machine.modules);
  }
  if (machine.stopAtLoad?.(module)) {
    place(machine, at('nt!DebugService2') + 5n, LOAD_STACK);
    halt(machine, { kind: 'load', module });
  } else {
    machine.listener?.({ kind: 'load', module });
  }
  return module;
}

/** The guest crashes. */
export function crash(machine: Machine, code: number, parameters: readonly bigint[]): void {
  if (machine.state === 'off') return;
  machine.state = 'running';
  machine.bugcheck = { code, parameters };
  const block = at('nt!KiBugCheckData');
  [BigInt(code), ...parameters].forEach((value, i) => {
    writeNumber(machine.memory, block + BigInt(8 * i), 8, value);
  });
  machine.listener?.({ kind: 'print', text: fatalErrorText(code, parameters) });
  place(machine, at('nt!DbgBreakPointWithStatus'), BUGCHECK_STACK).rcx = 3n;
  halt(machine, { kind: 'bugcheck', code, parameters });
}

/** Puts the guest where it was when its memory was dumped. */
export function openDump(machine: Machine): void {
  const parameters = [0xdeadn, 2n, 0n, at('mydriver!MyCrash') + 2n];
  machine.bugcheck = { code: 0xd1, parameters };
  place(machine, at('nt!KeBugCheckEx'), ['mydriver!MyCrash', ...DISPATCH_STACK]);
  halt(machine, { kind: 'dump' });
}

function fatalErrorText(code: number, parameters: readonly bigint[]): string {
  const list = parameters.map((p) => `0x${p.toString(16).toUpperCase().padStart(16, '0')}`).join(',');
  return `\n*** Fatal System Error: 0x${code.toString(16).padStart(8, '0')}\n                       (${list})\n\n`;
}

function goDown(machine: Machine): void {
  machine.state = 'off';
  machine.stop = undefined;
  machine.bugcheck = undefined;
  machine.owedBreaks = 0;
  machine.current = 0;
  resetMemory(machine);
}

/** The guest restarts in an orderly way: it tells the debugger first. It runs again after {@link boot}. */
export function reboot(machine: Machine): void {
  goDown(machine);
  machine.listener?.({ kind: 'shutdown' });
}

/** Power went away: nobody was told. */
export function reset(machine: Machine): void {
  goDown(machine);
  machine.listener?.({ kind: 'reset' });
}

/** The guest is up (again). */
export function boot(machine: Machine): void {
  if (machine.state !== 'off') return;
  machine.state = 'running';
  machine.boots++;
  machine.bootedAt = Date.now();
  machine.listener?.({ kind: 'boot' });
}

export const ASSERTION =
  '\n*** Assertion failed: Irp->IoStatus.Status != STATUS_PENDING\n' +
  '***   Source File: d:\\drv\\mydriver\\dispatch.c, line 42\n\n' +
  'Break repeatedly, break Once, Ignore, terminate Process, or terminate Thread (boipt)? ';

/** A driver of the running guest asks the debugger's user and waits for the answer. */
export function ask(machine: Machine, text: string): void {
  if (machine.state === 'running') machine.listener?.({ kind: 'ask', text });
}
