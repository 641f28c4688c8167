/** How the guest starts, stops and dies: what a debugger may ask of it and what it does by itself. */
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

function halt(machine: Machine, stop: Stop): void {
  removePatches(machine);
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

/** The debugger asked a running guest to stop. */
export function breakIn(machine: Machine): void {
  if (machine.state !== 'running') return;
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

/** The running guest prints. */
export function print(machine: Machine, text: string): void {
  if (machine.state === 'running') machine.listener?.({ kind: 'print', text });
}

/** The running guest loads a driver. */
export function loadModule(machine: Machine, name: string): ModuleDefinition | undefined {
  const bare = name.toLowerCase().replace(/\.(sys|dll|exe)$/, '');
  const module = MODULES.find((m) => m.name === bare);
  if (!module || machine.state !== 'running') return undefined;
  if (!machine.modules.includes(module)) machine.modules.push(module);
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

function fatalErrorText(code: number, parameters: readonly bigint[]): string {
  const list = parameters.map((p) => `0x${p.toString(16).toUpperCase().padStart(16, '0')}`).join(',');
  return `\n*** Fatal System Error: 0x${code.toString(16).padStart(8, '0')}\n                       (${list})\n\n`;
}

function goDown(machine: Machine): void {
  machine.state = 'off';
  machine.stop = undefined;
  machine.bugcheck = undefined;
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
