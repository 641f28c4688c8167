/** The guest's threads in memory: the members of nt!_ETHREAD (build 19041) that a debugger looks at. */
import type { Memory } from './memory.ts';
import { type GuestProcess, type GuestThread, THREAD_BASE } from './objects.ts';

const ETHREAD = {
  InitialStack: 0x28,
  StackLimit: 0x30,
  StackBase: 0x38,
  KernelStack: 0x58,
  ApcStateProcess: 0xb8,
  Teb: 0xf0,
  Process: 0x220,
  ClientIdProcess: 0x478,
  ClientIdThread: 0x480,
} as const;

const DISTANCE = 0x1000;

export interface StackRange {
  readonly low: bigint;
  readonly high: bigint;
}

/** The thread that a processor runs. */
export function threadOn(processes: readonly GuestProcess[], processor: number): GuestThread | undefined {
  for (const { threads } of processes) {
    const found = threads.find((t) => t.state === 'running' && t.processor === processor);
    if (found) return found;
  }
  return undefined;
}

/**
 * Makes all threads readable, one page each, which is written when somebody looks: there may be thousands. `stackOf`
 * tells where the stack of a processor's running thread lies.
 */
export function mapThreads(
  memory: Memory,
  processes: readonly GuestProcess[],
  stackOf: (processor: number) => StackRange,
): void {
  const all = processes.flatMap((process) => process.threads.map((thread) => ({ process, thread })));
  memory.map(THREAD_BASE, all.length * DISTANCE, (page, address) => {
    const found = all[Number(address - THREAD_BASE) / DISTANCE];
    if (found) writeThread(page, found.process, found.thread, stackOf);
  });
}

function writeThread(
  page: Uint8Array,
  process: GuestProcess,
  thread: GuestThread,
  stackOf: (processor: number) => StackRange,
): void {
  const { low, high } =
    thread.state === 'running'
      ? stackOf(thread.processor)
      : { low: thread.stackBase - 0x6000n, high: thread.stackBase };
  const view = new DataView(page.buffer, page.byteOffset, page.length);
  const fields: readonly (readonly [number, bigint])[] = [
    [ETHREAD.InitialStack, high],
    [ETHREAD.StackLimit, low],
    [ETHREAD.StackBase, high],
    [ETHREAD.KernelStack, high - 0x1420n],
    [ETHREAD.ApcStateProcess, process.address],
    [ETHREAD.Teb, thread.teb],
    [ETHREAD.Process, process.address],
    [ETHREAD.ClientIdProcess, BigInt(process.id)],
    [ETHREAD.ClientIdThread, BigInt(thread.id)],
  ];
  for (const [offset, value] of fields) view.setBigUint64(offset, value, true);
}
