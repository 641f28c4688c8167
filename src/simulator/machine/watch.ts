/** What stops a processor: the debug registers and break instructions. */
import { INT3 } from './halting.ts';
import type { Machine, Stop } from './machine.ts';
import { readNumber } from './memory.ts';
import type { Processor } from './processor.ts';

export type Access = 'execute' | 'write' | 'read';

const COUNT = 4;
/** Meaning of a breakpoint's two bits of kind in dr7: execution, writing, input and output, reading or writing. */
const KINDS: readonly (readonly Access[])[] = [['execute'], ['write'], [], ['read', 'write']];
/** … and of its two bits of length, in bytes. */
const LENGTHS = [1n, 2n, 8n, 4n] as const;

function addressIn(processor: Processor, number: number): bigint {
  return [processor.dr0, processor.dr1, processor.dr2, processor.dr3][number] ?? 0n;
}

function matches(
  processor: Processor,
  number: number,
  access: Access,
  address: bigint,
  size: bigint,
): boolean {
  const { dr7 } = processor;
  if (((dr7 >> BigInt(2 * number)) & 3n) === 0n) return false;
  const control = Number((dr7 >> BigInt(16 + 4 * number)) & 0xfn);
  if (!KINDS[control & 3]?.includes(access)) return false;
  const from = addressIn(processor, number);
  const length = access === 'execute' ? 1n : (LENGTHS[control >> 2] ?? 1n);
  return address < from + length && from < address + size;
}

/** Number of the hardware breakpoint that an access of the current processor meets. */
export function watchMet(
  machine: Machine,
  access: Access,
  address: bigint,
  size: number,
): number | undefined {
  const processor = machine.processors[machine.current];
  if (!processor) return undefined;
  for (let number = 0; number < COUNT; number++)
    if (matches(processor, number, access, address, BigInt(size))) return number;
  return undefined;
}

/** Why a processor stops when it comes to an instruction. */
export function stopAt(machine: Machine, address: bigint): Stop | undefined {
  const number = watchMet(machine, 'execute', address, 1);
  if (number !== undefined) return { kind: 'watch', number, address };
  if (readNumber(machine.memory, address, 1) !== INT3) return undefined;
  return machine.patches.has(address) ? { kind: 'breakpoint', address } : { kind: 'int3', address };
}
