/** Frames of the shown context: return addresses on the stack until a zero (engine.md §4). */
import { readNumber } from '../machine/memory.ts';
import { moduleAt, nameOf } from '../machine/symbols.ts';
import { type Debugger, registers } from './debugger.ts';

export interface Frame {
  readonly childSp: bigint;
  readonly returnAddress: bigint;
  readonly ip: bigint;
}

/** At most `limit` frames, innermost first. */
export function framesOf(
  kd: Debugger,
  limit: number,
  from?: { readonly ip: bigint; readonly sp: bigint },
): Frame[] {
  let ip = from?.ip ?? registers(kd).rip;
  let sp = from?.sp ?? registers(kd).rsp;
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
  return nameOf(kd.machine.modules, address) ?? `0x${address.toString(16)}`;
}
