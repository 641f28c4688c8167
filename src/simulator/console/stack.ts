/** Frames of the shown context: return addresses on the stack until a zero (engine.md §4). */
import { readNumber } from '../machine/memory.ts';
import type { GuestThread } from '../machine/objects.ts';
import { addressOf, moduleAt, nameOf } from '../machine/symbols.ts';
import { type Debugger, registers } from './debugger.ts';

export interface Frame {
  readonly childSp: bigint;
  readonly returnAddress: bigint;
  readonly ip: bigint;
}

/** At most `limit` frames of the current processor, innermost first. */
export function framesOf(kd: Debugger, limit: number): Frame[] {
  let ip = registers(kd).rip;
  let sp = registers(kd).rsp;
  const frames: Frame[] = [];
  while (frames.length < limit) {
    const returnAddress = readNumber(kd.machine.memory, sp, 8) ?? 0n;
    frames.push({ childSp: sp, returnAddress, ip });
    if (returnAddress === 0n || !moduleAt(kd.machine.modules, returnAddress)) break;
    ip = returnAddress;
    sp += 8n;
  }
  return frames;
}

/** `nt!KiIdleLoop+0x2`, or the bare address outside of all modules. */
export function siteOf(kd: Debugger, address: bigint): string {
  return (
    nameOf(kd.machine.modules, address) ??
    `0x${address
      .toString(16)
      .padStart(16, '0')
      .replace(/^(.{8})/, '$1`')}`
  );
}

const WAITING: readonly (readonly [string, bigint])[] = [
  ['nt!KiSwapContext', 0x2en],
  ['nt!KiSwapThread', 0x20n],
  ['nt!KiCommitThreadWait', 0x1fn],
  ['nt!KeWaitForSingleObject', 0x33n],
  ['nt!PspSystemThreadStartup', 0x15n],
  ['nt!KiStartSystemThread', 0x28n],
];

export interface ThreadFrame extends Frame {
  readonly site: string;
}

/** Frames of a thread that does not run: it waits. */
export function threadFrames(kd: Debugger, thread: GuestThread): ThreadFrame[] {
  const addresses = waitingAddresses(kd);
  return addresses.map(({ ip, site }, i) => ({
    childSp: thread.stackBase - 0x1420n + BigInt(i * 0x140),
    returnAddress: addresses[i + 1]?.ip ?? 0n,
    ip,
    site,
  }));
}

let waiting: readonly { readonly ip: bigint; readonly site: string }[] | undefined;

/** The same for all threads, so looked up once: a listing shows thousands. */
function waitingAddresses(kd: Debugger): readonly { readonly ip: bigint; readonly site: string }[] {
  waiting ??= WAITING.map(([name, offset]) => {
    const ip = (addressOf(kd.machine.modules, name) ?? 0n) + offset;
    return { ip, site: `${name}+0x${offset.toString(16)}` };
  });
  return waiting;
}
