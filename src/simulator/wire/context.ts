/**
 * A processor's registers as a debugger reads and writes them: the AMD64 CONTEXT record and the special registers.
 * What the modelled processor does not have (floating point, vectors) stays as it was written.
 */
import type { Processor, RegisterName } from '../machine/processor.ts';
import { gdtOf, idtOf, pcrOf } from '../machine/processor-block.ts';

/** Register, offset, size in bytes. */
type Field = readonly [RegisterName, number, 2 | 4 | 8];

export const CONTEXT_SIZE = 0x4d0;
const CONTEXT_FLAGS = 0x30;
/** AMD64, with control, integer, segment, floating point and debug registers. */
const ALL_PARTS = 0x10001f;
const MXCSR = [0x34, 0x118] as const;
const MXCSR_VALUE = 0x1f80;

const CONTEXT_FIELDS: readonly Field[] = [
  ['cs', 0x38, 2],
  ['ds', 0x3a, 2],
  ['es', 0x3c, 2],
  ['fs', 0x3e, 2],
  ['gs', 0x40, 2],
  ['ss', 0x42, 2],
  ['efl', 0x44, 4],
  ['rax', 0x78, 8],
  ['rcx', 0x80, 8],
  ['rdx', 0x88, 8],
  ['rbx', 0x90, 8],
  ['rsp', 0x98, 8],
  ['rbp', 0xa0, 8],
  ['rsi', 0xa8, 8],
  ['rdi', 0xb0, 8],
  ['r8', 0xb8, 8],
  ['r9', 0xc0, 8],
  ['r10', 0xc8, 8],
  ['r11', 0xd0, 8],
  ['r12', 0xd8, 8],
  ['r13', 0xe0, 8],
  ['r14', 0xe8, 8],
  ['r15', 0xf0, 8],
  ['rip', 0xf8, 8],
];

export const SPECIAL_SIZE = 0xf0;
const SPECIAL_FIELDS: readonly Field[] = [
  ['cr0', 0x0, 8],
  ['cr2', 0x8, 8],
  ['cr3', 0x10, 8],
  ['cr4', 0x18, 8],
  ['dr0', 0x20, 8],
  ['dr1', 0x28, 8],
  ['dr2', 0x30, 8],
  ['dr3', 0x38, 8],
  ['dr6', 0x40, 8],
  ['dr7', 0x48, 8],
  ['cr8', 0xa0, 8],
];

function freshContext(): Buffer {
  const bytes = Buffer.alloc(CONTEXT_SIZE);
  bytes.writeUInt32LE(ALL_PARTS, CONTEXT_FLAGS);
  for (const at of MXCSR) bytes.writeUInt32LE(MXCSR_VALUE, at);
  return bytes;
}

function freshSpecial(number: number): Buffer {
  const bytes = Buffer.alloc(SPECIAL_SIZE);
  bytes.writeUInt16LE(0x57, 0x56);
  bytes.writeBigUInt64LE(gdtOf(number), 0x58);
  bytes.writeUInt16LE(0xfff, 0x66);
  bytes.writeBigUInt64LE(idtOf(number), 0x68);
  bytes.writeUInt16LE(0x40, 0x70);
  bytes.writeUInt32LE(MXCSR_VALUE, 0x74);
  // The base of gs in kernel mode is the KPCR.
  bytes.writeBigUInt64LE(pcrOf(number), 0xa8);
  return bytes;
}

/** One kind of record of one processor. */
export interface RegisterRecord {
  /** The bytes as they are now. */
  read(): Buffer;
  /** Writes bytes at an offset, registers included. */
  write(offset: number, bytes: Uint8Array): void;
}

function recordOf(bytes: Buffer, fields: readonly Field[], processor: Processor): RegisterRecord {
  return {
    read() {
      for (const [name, at, size] of fields) {
        const value = BigInt.asUintN(size * 8, processor[name]);
        if (size === 8) bytes.writeBigUInt64LE(value, at);
        else bytes.writeUIntLE(Number(value), at, size);
      }
      return Buffer.from(bytes);
    },
    write(offset, written) {
      bytes.set(written.subarray(0, Math.max(0, bytes.length - offset)), offset);
      for (const [name, at, size] of fields) {
        if (at + size <= offset || at >= offset + written.length) continue;
        processor[name] = size === 8 ? bytes.readBigUInt64LE(at) : BigInt(bytes.readUIntLE(at, size));
      }
    },
  };
}

export function contextRecord(processor: Processor): RegisterRecord {
  return recordOf(freshContext(), CONTEXT_FIELDS, processor);
}

export function specialRecord(processor: Processor, number: number): RegisterRecord {
  return recordOf(freshSpecial(number), SPECIAL_FIELDS, processor);
}
