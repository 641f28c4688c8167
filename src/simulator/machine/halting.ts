/** How a processor comes to stand still somewhere, and the break instructions in memory. */
import { type Machine, STACK_SIZE, type Stop, stackOf } from './machine.ts';
import { readNumber, writeNumber } from './memory.ts';
import type { Processor } from './processor.ts';
import { writeClock } from './shared-page.ts';
import { addressOf } from './symbols.ts';

export const INT3 = 0xccn;

/** Return addresses of an idle processor that found the debugger's break request in its clock interrupt. */
export const IDLE_STACK = [
  'nt!KdCheckForDebugBreak',
  'nt!KeUpdateSystemTime',
  'nt!KiIdleLoop',
  'nt!KiSystemStartup',
];
/** … of a driver's dispatch function under an ioctl. */
export const DISPATCH_STACK = [
  'nt!IofCallDriver',
  'nt!IopSynchronousServiceTail',
  'nt!IopXxxControlFile',
  'nt!NtDeviceIoControlFile',
  'nt!KiSystemServiceCopyEnd',
];
export const BUGCHECK_STACK = [
  'nt!KiBugCheckDebugBreak',
  'nt!KeBugCheck2',
  'nt!KeBugCheckEx',
  'mydriver!MyCrash',
  ...DISPATCH_STACK,
];
export const LOAD_STACK = [
  'nt!DbgLoadImageSymbols',
  'nt!IopLoadDriver',
  'nt!PspSystemThreadStartup',
  'nt!KiStartSystemThread',
];

/** Address of a symbol of the guest, 0 for one it has not. */
export function at(machine: Machine, name: string): bigint {
  return addressOf(machine.installed, name) ?? 0n;
}

/** Puts a processor at `rip` with a stack of return addresses; a zero ends it. */
export function place(machine: Machine, rip: bigint, callers: readonly string[]): Processor {
  const processor = machine.processors[machine.current];
  if (!processor) throw new Error(`no processor ${machine.current}`);
  const top = stackOf(machine.current) + BigInt(STACK_SIZE) - 8n;
  const rsp = top - BigInt(8 * callers.length);
  callers.forEach((name, i) => {
    writeNumber(machine.memory, rsp + BigInt(8 * i), 8, at(machine, name) + 2n);
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
    place(machine, at(machine, 'nt!KiIdleLoop') + 2n, ['nt!KiSystemStartup']);
  }
  machine.current = reporting;
}

/** What dr6 tells of a stop: the breakpoint's number, or a single step. */
function debugStatus(stop: Stop): bigint {
  const none = 0xffff_0ff0n;
  if (stop.kind === 'watch') return none | (1n << BigInt(stop.number));
  return stop.kind === 'step' ? none | 0x4000n : none;
}

export function halt(machine: Machine, stop: Stop): void {
  const processor = machine.processors[machine.current];
  if (processor) processor.dr6 = debugStatus(stop);
  removePatches(machine);
  parkOthers(machine);
  writeClock(machine.memory, Date.now(), machine.bootedAt);
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

/** Restores the byte under one break instruction. */
export function removePatch(machine: Machine, address: bigint): void {
  const original = machine.patches.get(address);
  if (original === undefined) return;
  machine.patches.delete(address);
  if (readNumber(machine.memory, address, 1) === INT3)
    writeNumber(machine.memory, address, 1, BigInt(original));
}

/** Restores the bytes under all break instructions. */
export function removePatches(machine: Machine): void {
  for (const address of [...machine.patches.keys()]) removePatch(machine, address);
}
