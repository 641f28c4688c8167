/** Processes, threads, handles and pool blocks of the guest, with the fields of their structures in memory. */
import { type Memory, writeAnsi, writeNumber } from './memory.ts';

export interface GuestThread {
  readonly address: bigint;
  readonly id: number;
  readonly teb: bigint;
  readonly win32: bigint;
  readonly state: 'running' | 'waiting';
  readonly processor: number;
  readonly reason: 'Executive' | 'UserRequest' | 'WrQueue' | 'DelayExecution';
  readonly mode: 'KernelMode' | 'UserMode';
  readonly waitsFor: { readonly address: bigint; readonly type: string };
  readonly startAddress: string;
  readonly stackBase: bigint;
  readonly switches: number;
}

export interface GuestHandle {
  readonly value: number;
  readonly object: bigint;
  readonly access: number;
  readonly type: string;
  readonly name: string;
}

export interface GuestProcess {
  readonly address: bigint;
  readonly id: number;
  readonly parent: number;
  readonly session: number | undefined;
  readonly peb: bigint;
  readonly directoryBase: bigint;
  readonly objectTable: bigint;
  readonly handleCount: number;
  readonly image: string;
  readonly threads: readonly GuestThread[];
  readonly handles: readonly GuestHandle[];
}

/** Offsets in nt!_EPROCESS of Windows 10 build 19041. */
export const EPROCESS = {
  DirectoryTableBase: 0x28n,
  UniqueProcessId: 0x440n,
  ActiveProcessLinks: 0x448n,
  InheritedFromUniqueProcessId: 0x540n,
  Peb: 0x550n,
  ObjectTable: 0x570n,
  ImageFileName: 0x5a8n,
} as const;

interface Seed {
  readonly image: string;
  readonly id: number;
  readonly parent: number;
  readonly session?: number;
  readonly threads: number;
}

const SEEDS: readonly Seed[] = [
  { image: 'System', id: 4, parent: 0, threads: 6 },
  { image: 'Registry', id: 0x64, parent: 4, threads: 1 },
  { image: 'smss.exe', id: 0x184, parent: 4, threads: 1 },
  { image: 'csrss.exe', id: 0x1ec, parent: 0x1e0, session: 0, threads: 3 },
  { image: 'wininit.exe', id: 0x23c, parent: 0x1e0, session: 0, threads: 1 },
  { image: 'csrss.exe', id: 0x244, parent: 0x234, session: 1, threads: 3 },
  { image: 'winlogon.exe', id: 0x28c, parent: 0x234, session: 1, threads: 2 },
  { image: 'services.exe', id: 0x2d0, parent: 0x23c, session: 0, threads: 2 },
  { image: 'lsass.exe', id: 0x2dc, parent: 0x23c, session: 0, threads: 2 },
  { image: 'svchost.exe', id: 0x364, parent: 0x2d0, session: 0, threads: 4 },
  { image: 'explorer.exe', id: 0xd94, parent: 0xd40, session: 1, threads: 4 },
  { image: 'MsMpEng.exe', id: 0xe20, parent: 0x2d0, session: 0, threads: 3 },
  { image: 'mytest.exe', id: 0x1158, parent: 0xd94, session: 1, threads: 1 },
];

export const PROCESS_BASE = 0xffffa801_12345040n;
const TABLE_BASE = 0xffffb80a_11000000n;
export const THREAD_BASE = 0xffffa801_14000000n;
const OBJECT_BASE = 0xffffa801_13000000n;

const HANDLE_TYPES = ['Event', 'File', 'Key', 'Section', 'Directory', 'Thread', 'Semaphore', 'Mutant'];

/** The guest's processes; `extra` adds that many with 20 threads each. */
export function createProcesses(processors: number, extra: number): GuestProcess[] {
  const seeds = [...SEEDS];
  for (let i = 0; i < extra; i++) {
    const image = `worker${String(i).padStart(3, '0')}.exe`;
    seeds.push({ image, id: 0x2000 + i * 4, parent: 0x2d0, session: 0, threads: 20 });
  }
  let threadNumber = 0;
  return seeds.map((seed, i) => ({
    address: PROCESS_BASE + BigInt(i) * 0x1000n,
    id: seed.id,
    parent: seed.parent,
    session: seed.session,
    peb: seed.session === undefined ? 0n : 0x15_85fea000n + BigInt(i) * 0x1000n,
    directoryBase: seed.id === 4 ? 0x1ad000n : 0x125b_be000n + BigInt(i) * 0x1000n,
    objectTable: TABLE_BASE + BigInt(i) * 0x1140n,
    handleCount: seed.id === 4 ? 1818 : 12 + ((seed.id * 7) % 400),
    image: seed.image,
    threads: Array.from({ length: seed.threads }, (_, t) =>
      createThread(threadNumber++, t, seed, processors),
    ),
    handles: Array.from({ length: 12 }, (_, h) => createHandle(i, h)),
  }));
}

/** Writes the structures of all processes and links them into `head`, the address of nt!PsActiveProcessHead. */
export function writeProcesses(memory: Memory, processes: readonly GuestProcess[], head: bigint): void {
  for (const [i, process] of processes.entries()) writeProcess(memory, process, processes, i, head);
}

function createThread(number: number, indexInProcess: number, seed: Seed, processors: number): GuestThread {
  const kernel = seed.session === undefined;
  const running = number < processors;
  const stackBase = 0xfffffb8c_40a30000n + BigInt(number) * 0x8000n;
  return {
    address: THREAD_BASE + BigInt(number) * 0x1000n,
    id: seed.id + 4 + indexInProcess * 4,
    teb: kernel ? 0n : 0x15_85fec000n + BigInt(number) * 0x2000n,
    win32: 0n,
    state: running ? 'running' : 'waiting',
    processor: running ? number : 0,
    reason: kernel ? 'Executive' : number % 2 ? 'UserRequest' : 'WrQueue',
    mode: kernel ? 'KernelMode' : 'UserMode',
    waitsFor: {
      address: OBJECT_BASE + BigInt(number) * 0x100n,
      type: number % 3 ? 'SynchronizationEvent' : 'QueueObject',
    },
    startAddress: kernel ? 'nt!PspSystemThreadStartup' : '',
    stackBase,
    switches: 100 + number * 17,
  };
}

function createHandle(process: number, index: number): GuestHandle {
  const type = HANDLE_TYPES[(process + index) % HANDLE_TYPES.length] ?? 'Event';
  return {
    value: (index + 1) * 4,
    object: OBJECT_BASE + 0x100000n + BigInt(process * 64 + index) * 0x100n,
    access: 0x001f0003,
    type,
    name: type === 'File' ? '\\Windows\\System32' : type === 'Directory' ? 'KnownDlls' : '',
  };
}

function writeProcess(
  memory: Memory,
  process: GuestProcess,
  all: readonly GuestProcess[],
  index: number,
  head: bigint,
): void {
  const at = process.address;
  const linkOf = (i: number) => {
    const other = all[i];
    return other ? other.address + EPROCESS.ActiveProcessLinks : head;
  };
  const fields: readonly (readonly [bigint, bigint])[] = [
    [EPROCESS.DirectoryTableBase, process.directoryBase],
    [EPROCESS.UniqueProcessId, BigInt(process.id)],
    [EPROCESS.ActiveProcessLinks, linkOf(index + 1)],
    [EPROCESS.ActiveProcessLinks + 8n, linkOf(index - 1)],
    [EPROCESS.InheritedFromUniqueProcessId, BigInt(process.parent)],
    [EPROCESS.Peb, process.peb],
    [EPROCESS.ObjectTable, process.objectTable],
  ];
  for (const [offset, value] of fields) writeNumber(memory, at + offset, 8, value);
  writeAnsi(memory, at + EPROCESS.ImageFileName, process.image.slice(0, 14));
  if (index === 0) writeNumber(memory, head, 8, linkOf(0));
  if (index === all.length - 1) writeNumber(memory, head + 8n, 8, linkOf(index));
}
