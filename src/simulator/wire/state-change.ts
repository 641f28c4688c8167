/** What the target sends when it stops: an exception, a module that came or went, its end (engine.md §3, type 7). */
import type { Machine, Stop } from '../machine/machine.ts';
import type { ModuleDefinition } from '../machine/modules.ts';
import { threadOn } from '../machine/threads.ts';

const SIZE = 0xf0;
const EXCEPTION = 0x3030;
const LOAD_SYMBOLS = 0x3031;
const PROCESSOR_LEVEL = 6;
const BREAKPOINT = 0x80000003;
const SINGLE_STEP = 0x80000004;
const WAKE_DEBUGGER = 0x80000007;
const INSTRUCTION_BYTES = 16;
const ALL_ONES = 0xffff_ffff_ffff_ffffn;
/** In the control report: segments and instruction bytes are given. */
const REPORT_FLAGS = 3;

/** Status of nt!DbgBreakPointWithStatus, which is the first parameter of its exception. */
const BREAK_STATUS: Partial<Record<Stop['kind'], bigint>> = { break: 1n, bugcheck: 3n };

/** The part that all stops have in common. */
function common(machine: Machine, newState: number): Buffer {
  const bytes = Buffer.alloc(SIZE);
  const processor = machine.processors[machine.current];
  if (!processor) return bytes;
  bytes.writeUInt32LE(newState, 0);
  bytes.writeUInt16LE(PROCESSOR_LEVEL, 4);
  bytes.writeUInt16LE(machine.current, 6);
  bytes.writeUInt32LE(machine.processors.length, 8);
  bytes.writeBigUInt64LE(threadOn(machine.processes, machine.current)?.address ?? 0n, 0x10);
  bytes.writeBigUInt64LE(processor.rip, 0x18);
  bytes.writeBigUInt64LE(processor.dr6, 0xc0);
  bytes.writeBigUInt64LE(processor.dr7, 0xc8);
  bytes.writeUInt32LE(Number(processor.efl), 0xd0);
  const code = machine.memory.read(processor.rip, INSTRUCTION_BYTES);
  bytes.writeUInt16LE(code.length, 0xd4);
  bytes.writeUInt16LE(REPORT_FLAGS, 0xd6);
  bytes.set(code, 0xd8);
  for (const [i, name] of (['cs', 'ds', 'es', 'fs'] as const).entries())
    bytes.writeUInt16LE(Number(processor[name]), 0xe8 + 2 * i);
  return bytes;
}

function exception(machine: Machine, code: number, parameters: readonly bigint[]): Buffer {
  const bytes = common(machine, EXCEPTION);
  bytes.writeUInt32LE(code, 0x20);
  bytes.writeBigUInt64LE(machine.processors[machine.current]?.rip ?? 0n, 0x30);
  bytes.writeUInt32LE(parameters.length, 0x38);
  for (const [i, value] of parameters.entries()) bytes.writeBigUInt64LE(value, 0x40 + 8 * i);
  // First chance.
  bytes.writeUInt32LE(1, 0xb8);
  return bytes;
}

function symbols(machine: Machine, module: ModuleDefinition, unload: boolean): Buffer {
  const path = Buffer.from(`${module.path}\0`, 'latin1');
  const bytes = common(machine, LOAD_SYMBOLS);
  bytes.writeUInt32LE(path.length, 0x20);
  bytes.writeBigUInt64LE(module.base, 0x28);
  bytes.writeBigUInt64LE(ALL_ONES, 0x30);
  bytes.writeUInt32LE(module.checksum, 0x38);
  bytes.writeUInt32LE(module.size, 0x3c);
  bytes[0x40] = unload ? 1 : 0;
  return Buffer.concat([bytes, path]);
}

/** The state change of a stop, from the registers as they are now. */
export function stateChange(machine: Machine, stop: Stop): Buffer {
  switch (stop.kind) {
    case 'load':
      return symbols(machine, stop.module, false);
    case 'unload':
      return symbols(machine, stop.module, true);
    case 'step':
    case 'watch':
      return exception(machine, SINGLE_STEP, []);
    case 'break':
    case 'breakpoint':
    case 'int3':
    case 'bugcheck':
    case 'dump':
      return exception(machine, BREAKPOINT, [BREAK_STATUS[stop.kind] ?? 0n]);
  }
}

/** What a processor reports that a debugger switches to: it did not cause the stop. */
export function switchedTo(machine: Machine): Buffer {
  return exception(machine, WAKE_DEBUGGER, []);
}

/** The guest goes down: the debugger forgets all it knows and waits for another. */
export function goodbye(machine: Machine): Buffer {
  const bytes = common(machine, LOAD_SYMBOLS);
  bytes.writeBigUInt64LE(ALL_ONES, 0x28);
  bytes[0x40] = 1;
  return bytes;
}
