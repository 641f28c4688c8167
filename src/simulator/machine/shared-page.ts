/** KUSER_SHARED_DATA: the page with the guest's clock and version that user and kernel mode share. */
import { type Memory, writeNumber, writeUnicode } from './memory.ts';

export const SHARED_PAGE = 0xfffff780_00000000n;
const PAGE_SIZE = 0x1000;

/** Offset, size, value of what never changes. */
const CONSTANTS: readonly (readonly [bigint, 1 | 2 | 4 | 8, bigint])[] = [
  [0x4n, 4, 0x0fa0_0000n], // TickCountMultiplier
  [0x260n, 4, 19041n], // NtBuildNumber
  [0x264n, 4, 1n], // NtProductType: workstation
  [0x268n, 1, 1n], // ProductTypeIsValid
  [0x26an, 2, 9n], // NativeProcessorArchitecture: AMD64
  [0x26cn, 4, 10n], // NtMajorVersion
  [0x2d0n, 4, 0x110n], // SuiteMask: TerminalServer, SingleUserTS
  [0x2d4n, 1, 3n], // KdDebuggerEnabled
  [0x3c0n, 4, 1n], // ActiveProcessorCount
];

const SYSTEM_TIME = 0x14n;
const INTERRUPT_TIME = 0x8n;
const TIME_ZONE_BIAS = 0x20n;
const TICK_COUNT = 0x320n;
/** 100-nanosecond units. */
const PER_MS = 10_000n;
const PER_TICK = 156_250n;
/** From 1601, where the guest's clock begins, to 1970. */
const EPOCH = 116_444_736_000_000_000n;

/** A KSYSTEM_TIME: low part, high part, high part again. */
function writeTime(memory: Memory, offset: bigint, value: bigint): void {
  const high = value >> 32n;
  for (const [i, part] of [value & 0xffff_ffffn, high, high].entries())
    writeNumber(memory, SHARED_PAGE + offset + BigInt(4 * i), 4, part);
}

export function mapSharedPage(memory: Memory): void {
  memory.map(SHARED_PAGE, PAGE_SIZE);
}

export function writeSharedPage(memory: Memory): void {
  for (const [offset, size, value] of CONSTANTS) writeNumber(memory, SHARED_PAGE + offset, size, value);
  writeUnicode(memory, SHARED_PAGE + 0x30n, 'C:\\Windows');
  writeTime(memory, TIME_ZONE_BIAS, 0n);
}

/** Sets the guest's clock; it stands while the guest is halted. */
export function writeClock(memory: Memory, now: number, bootedAt: number): void {
  const up = BigInt(Math.round(now - bootedAt)) * PER_MS;
  writeTime(memory, SYSTEM_TIME, BigInt(Math.round(now)) * PER_MS + EPOCH);
  writeTime(memory, INTERRUPT_TIME, up);
  writeNumber(memory, SHARED_PAGE + TICK_COUNT, 8, up / PER_TICK);
}
