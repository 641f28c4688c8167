/**
 * nt!KdDebuggerDataBlock: where a debugger finds the kernel's variables and the layout of its structures
 * (KDDEBUGGER_DATA64; the offsets that matter are in engine.md §4, the values are those of build 19041).
 */
import { type Memory, writeNumber } from './memory.ts';

/** What the block must name of the guest it lies in. */
export interface DebuggerBlockPlaces {
  readonly block: bigint;
  readonly kernelBase: bigint;
  readonly breakpointWithStatus: bigint;
  readonly loadedModuleList: bigint;
  readonly activeProcessHead: bigint;
  readonly bugcheckData: bigint;
  readonly buildLab: bigint;
  readonly processorBlock: bigint;
  /** Room for variables that hold nothing but their value: 0x800 bytes. */
  readonly variables: bigint;
}

const SIZE = 0x380;
const TAG = 0x4742444bn;

/** Distance from the block to the head of the list it is in, which the target names to the debugger. */
export const DEBUGGER_LIST_OFFSET = 0x800n;

/** Variables with a value of their own, by the offset of their pointer. */
const VARIABLES: Readonly<Record<number, bigint>> = {
  120: 156_250n, // KeTimeIncrement, 0x78
  312: 4096n, // MmPageSize, 0x138
  456: 0x7fff_fffe_ffffn, // MmHighestUserAddress, 0x1c8
  464: 0xffff_8000_0000_0000n, // MmSystemRangeStart, 0x1d0
  472: 0x7fff_ffff_0000n, // MmUserProbeAddress, 0x1d8
};

/** Offsets and sizes of structure members, 16 bits each. */
const LAYOUT: Readonly<Record<number, readonly number[]>> = {
  // KTHREAD: NextProcessor, Teb, KernelStack, InitialStack, ApcState.Process, State
  664: [0x220, 0xf0, 0x58, 0x28, 0xb8, 0x184],
  // EPROCESS: size, Peb, InheritedFromUniqueProcessId, DirectoryTableBase
  680: [0xa40, 0x550, 0x540, 0x28],
  // KPRCB: size, DpcRoutineActive, CurrentThread, MHz, CpuType, VendorString, ProcessorState.ContextFrame, Number
  688: [0xaf00, 0x33ba, 8, 0x44, 0x40, 0x8590, 0x1f0, 0x24],
  // ETHREAD: size
  704: [0x8a0],
  // KPCR: size, Self, CurrentPrcb, Prcb
  736: [0xb080, 0x18, 0x20, 0x180],
  // KPRCB: special registers; selectors: R0 code, R0 data, R0 PCR, R3 code, R3 data, R3 TEB, LDT, TSS, R3 32-bit code
  754: [0x100, 0x10, 0x18, 0x18, 0x30, 0x28, 0x50, 0, 0x40, 0x20, 0x50],
  // KPRCB: Context
  824: [0x62c0],
  // KPRCB: IdleThread
  848: [0x18],
  // KTHREAD: WaitReason
  860: [0x283],
};

/** The same, 32 bits: KTHREAD StackLimit, StackBase, QueueListEntry, ETHREAD IrpList. */
const WIDE_LAYOUT = [0x30, 0x38, 0x208, 0x4b8] as const;
const WIDE_LAYOUT_AT = 0x340n;
const PTE_BASE_AT = 0x360n;
const PTE_BASE = 0xffff_f680_0000_0000n;

/** First and last pointer of the two runs that hold nothing but addresses of variables. */
const POINTERS = [
  [0x58, 0x200],
  [0x220, 0x290],
] as const;

export function writeDebuggerBlock(memory: Memory, places: DebuggerBlockPlaces): void {
  const { block } = places;
  const list = block + DEBUGGER_LIST_OFFSET;
  const known: Readonly<Record<number, bigint>> = {
    0: list,
    8: list,
    16: TAG | (BigInt(SIZE) << 32n),
    24: places.kernelBase,
    32: places.breakpointWithStatus,
    72: places.loadedModuleList,
    80: places.activeProcessHead,
    136: places.bugcheckData,
    520: places.buildLab,
    536: places.processorBlock,
  };
  for (const at of [list, list + 8n]) writeNumber(memory, at, 8, block);
  let variable = places.variables;
  for (const [first, last] of POINTERS) {
    for (let at = first; at <= last; at += 8) {
      if (at in known) continue;
      writeNumber(memory, block + BigInt(at), 8, variable);
      writeNumber(memory, variable, 8, VARIABLES[at] ?? 0n);
      variable += 8n;
    }
  }
  for (const [at, value] of Object.entries(known)) writeNumber(memory, block + BigInt(at), 8, value);
  for (const [at, values] of Object.entries(LAYOUT)) {
    for (const [i, value] of values.entries())
      writeNumber(memory, block + BigInt(at) + BigInt(2 * i), 2, BigInt(value));
  }
  for (const [i, value] of WIDE_LAYOUT.entries())
    writeNumber(memory, block + WIDE_LAYOUT_AT + BigInt(4 * i), 4, BigInt(value));
  writeNumber(memory, block + PTE_BASE_AT, 8, PTE_BASE);
}
