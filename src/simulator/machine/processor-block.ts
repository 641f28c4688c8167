/** Each processor's own structures in memory: KPCR with the KPRCB inside it, descriptor tables. */
import { type Memory, writeAnsi, writeNumber } from './memory.ts';

const FIRST = 0xfffff803_10a00000n;
const DISTANCE = 0x10000n;
const PCR_SIZE = 0xc000;
const PRCB_OFFSET = 0x180n;
const GDT_OFFSET = 0xd000n;
const IDT_OFFSET = 0xe000n;
const TABLE_SIZE = 0x1000;

/** Offsets in nt!_KPRCB of build 19041. */
const PRCB = {
  CurrentThread: 0x8n,
  IdleThread: 0x18n,
  Number: 0x24n,
  CpuType: 0x40n,
  MHz: 0x44n,
  VendorString: 0x8590n,
} as const;

const MHZ = 2400n;
/** Selector → descriptor: kernel code and data, user code (32 bit), data, code, task state, user TEB. */
const DESCRIPTORS: Readonly<Record<number, bigint>> = {
  16: 0x0020_9b00_0000_0000n,
  24: 0x0040_9300_0000_0000n,
  32: 0x00cf_fb00_0000_ffffn,
  40: 0x00cf_f300_0000_ffffn,
  48: 0x0020_fb00_0000_0000n,
  64: 0x0000_8b00_0000_0067n,
  80: 0x0040_f300_0000_3c00n,
};

/** Address of a processor's KPCR. */
export function pcrOf(processor: number): bigint {
  return FIRST + BigInt(processor) * DISTANCE;
}

/** Address of a processor's KPRCB. */
export function prcbOf(processor: number): bigint {
  return pcrOf(processor) + PRCB_OFFSET;
}

/** Address of a processor's global descriptor table, 0x1000 bytes. */
export function gdtOf(processor: number): bigint {
  return pcrOf(processor) + GDT_OFFSET;
}

/** Address of a processor's interrupt descriptor table, 0x1000 bytes. */
export function idtOf(processor: number): bigint {
  return pcrOf(processor) + IDT_OFFSET;
}

export function mapProcessorBlock(memory: Memory, processor: number): void {
  memory.map(pcrOf(processor), PCR_SIZE);
  memory.map(gdtOf(processor), TABLE_SIZE);
  memory.map(idtOf(processor), TABLE_SIZE);
}

/** Writes the structures; `thread` is the one that the processor runs. */
export function writeProcessorBlock(memory: Memory, processor: number, thread: bigint): void {
  const pcr = pcrOf(processor);
  const prcb = prcbOf(processor);
  const fields: readonly (readonly [bigint, 1 | 4 | 8, bigint])[] = [
    [pcr, 8, gdtOf(processor)],
    [pcr + 0x18n, 8, pcr],
    [pcr + 0x20n, 8, prcb],
    [pcr + 0x38n, 8, idtOf(processor)],
    [prcb + PRCB.CurrentThread, 8, thread],
    [prcb + PRCB.IdleThread, 8, thread],
    [prcb + PRCB.Number, 4, BigInt(processor)],
    [prcb + PRCB.CpuType, 1, 6n],
    [prcb + PRCB.MHz, 4, MHZ],
  ];
  for (const [address, size, value] of fields) writeNumber(memory, address, size, value);
  writeAnsi(memory, prcb + PRCB.VendorString, 'GenuineIntel');
  for (const [selector, descriptor] of Object.entries(DESCRIPTORS))
    writeNumber(memory, gdtOf(processor) + BigInt(selector), 8, descriptor);
}
