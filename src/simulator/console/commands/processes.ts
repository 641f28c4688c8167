/** `!process`, `!thread`, `!handle`: the formats of kd-behaviour.md §10.1–10.3, §10.10. */
import type { GuestProcess, GuestThread } from '../../machine/objects.ts';
import { words } from '../arguments.ts';
import { type Command, CommandError, type Execution, type Invocation } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { evaluate } from '../expression.ts';
import { threadFrames } from '../stack.ts';
import { plain, tick } from '../texts.ts';
import { threadAt } from './target.ts';

const four = (n: number) => n.toString(16).padStart(4, '0');
const label = (name: string, value: string) => `    ${name.padEnd(34)}${value}\n`;

function header(process: GuestProcess): string {
  const session = process.session === undefined ? 'none' : String(process.session);
  const peb = process.peb === 0n ? '00000000' : process.peb.toString(16);
  return (
    `PROCESS ${plain(process.address)}\n` +
    `    SessionId: ${session}  Cid: ${four(process.id)}    Peb: ${peb}  ParentCid: ${four(process.parent)}\n` +
    `    DirBase: ${process.directoryBase.toString(16).padStart(8, '0')}  ObjectTable: ${plain(process.objectTable)}  HandleCount: ${process.handleCount}.\n` +
    `    Image: ${process.image.slice(0, 14)}\n`
  );
}

function details(process: GuestProcess): string {
  const pages = 682 + (process.id % 97);
  return (
    `    VadRoot ${plain(process.address + 0x9b0n)} Vads 30 Clone 0 Private 135. Modified 5. Locked 0.\n` +
    `    DeviceMap ffffb80a10614ae0\n` +
    label('Token', plain(process.objectTable + 0x50n)) +
    label('ElapsedTime', '01:00:02.097') +
    label('UserTime', '00:00:00.015') +
    label('KernelTime', '00:00:00.031') +
    label('QuotaPoolUsage[PagedPool]', '33824') +
    label('QuotaPoolUsage[NonPagedPool]', '4464') +
    label('Working Set Sizes (now,min,max)', ` (${pages}, 50, 345) (${pages * 4}KB, 200KB, 1380KB)`).replace(
      '  (',
      ' (',
    ) +
    label('PeakWorkingSetSize', String(pages + 30)) +
    label('VirtualSize', '16 Mb') +
    label('PeakVirtualSize', '16 Mb') +
    label('PageFaultCount', '688') +
    label('MemoryPriority', 'BACKGROUND') +
    label('BasePriority', '8') +
    label('CommitCharge', '138') +
    '\n'
  );
}

function stateText(thread: GuestThread): string {
  if (thread.state === 'running') return `RUNNING on processor ${thread.processor}`;
  return `WAIT: (${thread.reason}) ${thread.mode} Non-Alertable`;
}

/** A thread, its lines indented by `indent` blanks. */
function threadText(
  kd: Debugger,
  process: GuestProcess,
  thread: GuestThread,
  indent: number,
  stack: boolean,
): string {
  const lines = [
    `THREAD ${plain(thread.address)}  Cid ${four(process.id)}.${four(thread.id)}  Teb: ${plain(thread.teb)} Win32Thread: ${plain(thread.win32)} ${stateText(thread)}`,
  ];
  if (thread.state === 'waiting')
    lines.push(`    ${plain(thread.waitsFor.address)}  ${thread.waitsFor.type}`);
  if (stack) {
    lines.push(
      'Not impersonating',
      'DeviceMap                 ffffb80a10614ae0',
      `Owning Process            ${plain(process.address)}       Image:         ${process.image.slice(0, 14)}`,
      'Attached Process          N/A            Image:         N/A',
      'Wait Start TickCount      64685          Ticks: 1451 (0:00:00:22.671)',
      `Context Switch Count      ${String(thread.switches).padEnd(15)}IdealProcessor: ${thread.processor}             `,
      'UserTime                  00:00:00.000',
      'KernelTime                00:00:00.000',
      thread.startAddress === ''
        ? `Win32 Start Address 0x00007ff7d00d1490`
        : `Win32 Start Address ${thread.startAddress} (0x${plain(evaluate(kd, thread.startAddress))})`,
      `Stack Init ${plain(thread.stackBase - 0x3d0n)} Current ${plain(thread.stackBase - 0x1420n)}`,
      `Base ${plain(thread.stackBase)} Limit ${plain(thread.stackBase - 0x7000n)} Call 0000000000000000`,
      'Priority 15  BasePriority 15  IoPriority 2  PagePriority 5',
      'Child-SP          RetAddr               : Args to Child                                                           : Call Site',
    );
    for (const frame of threadFrames(kd, thread)) {
      const zero = '00000000`00000000';
      lines.push(
        `${tick(frame.childSp)} ${tick(frame.returnAddress)}     : ${zero} ${zero} ${zero} ${zero} : ${frame.site}`,
      );
    }
    lines.push('');
  }
  const blanks = ' '.repeat(indent);
  return lines.map((line) => (line === '' ? '\n' : `${blanks}${line}\n`)).join('');
}

function currentProcess(kd: Debugger): GuestProcess | undefined {
  return kd.machine.processes.find((p) => p.address === kd.process) ?? kd.machine.processes[0];
}

function processText(kd: Debugger, process: GuestProcess, flags: number): string {
  let text = header(process);
  if (flags & 1) text += details(process);
  if (flags & 6) {
    const stack = (flags & 6) === 6;
    for (const thread of process.threads) text += threadText(kd, process, thread, 8, stack);
  }
  return `${text}\n`;
}

function* showProcesses(kd: Debugger, call: Invocation): Execution {
  const [which, flagsText, name] = words(call.rest);
  const flags = flagsText === undefined ? undefined : Number(evaluate(kd, flagsText));
  const value = which === undefined || which === '-1' ? undefined : evaluate(kd, which);
  if (value === undefined) {
    const current = currentProcess(kd);
    if (current) yield processText(kd, current, flags ?? 7);
    return;
  }
  if (value === 0n) {
    if (name === undefined) yield '**** NT ACTIVE PROCESS DUMP ****\n';
    for (const process of kd.machine.processes) {
      if (name !== undefined && process.image.toLowerCase() !== name.toLowerCase()) continue;
      yield processText(kd, process, flags ?? 0);
    }
    return;
  }
  if (value < 0x10000n) {
    yield `Searching for Process with Cid == ${value.toString(16)}\n`;
    const found = kd.machine.processes.find((p) => BigInt(p.id) === value);
    if (found) yield processText(kd, found, flags ?? 3);
    return;
  }
  const process = kd.machine.processes.find((p) => p.address === value);
  if (!process) throw new CommandError(`TYPE mismatch for process object at ${plain(value)}\n`);
  yield processText(kd, process, flags ?? 3);
}

function* showThread(kd: Debugger, call: Invocation): Execution {
  const [which] = words(call.rest);
  const threads = kd.machine.processes.flatMap((p) => p.threads);
  const address =
    which === undefined || which === '-1'
      ? (kd.context?.address ??
        threads.find((t) => t.state === 'running' && t.processor === kd.processor)?.address ??
        0n)
      : evaluate(kd, which);
  const thread = threadAt(kd, address);
  const process = kd.machine.processes.find((p) => thread && p.threads.includes(thread));
  if (!thread || !process) {
    throw new CommandError(
      `${plain(address)} is not a thread object, interpreting as stack value...\nTYPE mismatch for thread object at ${plain(address)}\n`,
    );
  }
  yield threadText(kd, process, thread, 0, true);
}

/** `!handle [value [flags [process]]]`. */
function* showHandles(kd: Debugger, call: Invocation): Execution {
  const [valueText, flagsText, which] = words(call.rest);
  const wanted = valueText === undefined ? 0n : evaluate(kd, valueText);
  const flags = flagsText === undefined ? 3 : Number(evaluate(kd, flagsText));
  const address = which === undefined ? undefined : evaluate(kd, which);
  const process =
    kd.machine.processes.find((p) => p.address === address || BigInt(p.id) === address) ?? currentProcess(kd);
  if (!process) return;
  yield `\n${header(process)}\n`;
  const table = process.id === 4 ? 'Kernel handle' : 'Handle';
  yield `${table} table at ${plain(process.objectTable)} with ${process.handleCount} entries in use\n\n`;
  for (const handle of process.handles) {
    if (wanted !== 0n && BigInt(handle.value) !== wanted) continue;
    const entry = process.objectTable + BigInt(handle.value * 4);
    yield `${four(handle.value)}: Object: ${plain(handle.object)}  GrantedAccess: ${handle.access.toString(16).padStart(8, '0')} Entry: ${plain(entry)}\n`;
    if (!(flags & 2)) continue;
    yield `Object: ${plain(handle.object)}  Type: (ffffa80110c${four(handle.type.length * 0x110)}0) ${handle.type}\n`;
    yield `    ObjectHeader: ${plain(handle.object - 0x30n)} (new version)\n        HandleCount: 1  PointerCount: 32768\n`;
    if (handle.name !== '') yield `        Directory Object: 00000000  Name: ${handle.name}\n`;
    yield '\n';
  }
}

export const PROCESSES: readonly Command[] = [
  { names: ['!process'], dump: true, target: true, run: showProcesses },
  { names: ['!thread'], dump: true, target: true, run: showThread },
  { names: ['!handle'], dump: true, target: true, run: showHandles },
];
