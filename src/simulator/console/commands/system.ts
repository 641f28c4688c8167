/** Processors, drivers, objects and types: short extensions and `dt`. */
import { readNumber } from '../../machine/memory.ts';
import { EPROCESS } from '../../machine/objects.ts';
import { addressOf } from '../../machine/symbols.ts';
import { words } from '../arguments.ts';
import { type Command, CommandError, type Execution, type Invocation } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { evaluate } from '../expression.ts';
import { framesOf, siteOf } from '../stack.ts';
import { readText } from '../strings.ts';
import { plain, tick } from '../texts.ts';

const DRIVER_OBJECT = 0xffffa801_17c0de30n;
const DEVICE_OBJECT = 0xffffa801_17c0ff10n;
const PRCB = 0xfffff803_10a00180n;

function* drvobj(kd: Debugger, call: Invocation): Execution {
  const [name = '', flags = '1'] = words(call.rest);
  if (!/mydriver/i.test(name) && name !== plain(DRIVER_OBJECT) && name !== tick(DRIVER_OBJECT))
    throw new CommandError(`Driver object ${name} not found\n`);
  yield `Driver object (${plain(DRIVER_OBJECT)}) is for:\n \\Driver\\mydriver\n\nDriver Extension List: (id , addr)\n\nDevice Object list:\n${plain(DEVICE_OBJECT)}  \n\n`;
  if (!/[2-7]/.test(flags)) return;
  const at = (symbol: string) => plain(addressOf(kd.machine.modules, symbol) ?? 0n);
  yield `DriverEntry:   ${at('mydriver!DriverEntry')}\tmydriver!DriverEntry\nDriverStartIo: 00000000\t\nDriverUnload:  ${at('mydriver!MyUnload')}\tmydriver!MyUnload\nAddDevice:     00000000\t\n\nDispatch routines:\n`;
  for (const [number, routine] of [
    ['00', 'IRP_MJ_CREATE'],
    ['02', 'IRP_MJ_CLOSE'],
    ['0e', 'IRP_MJ_DEVICE_CONTROL'],
  ] as const)
    yield `[${number}] ${routine.padEnd(35)} ${at('mydriver!MyDispatch')}\tmydriver!MyDispatch\n`;
}

function* devobj(): Execution {
  yield `Device object (${plain(DEVICE_OBJECT)}) is for:\n mydriver \\Driver\\mydriver DriverObject ${plain(DRIVER_OBJECT)}\n`;
  yield 'Current Irp 00000000 RefCount 0 Type 00000022 Flags 00000044\n';
  yield 'SecurityDescriptor ffffb80a1d772de0 DevExt 00000000 DevObjExt ffffa80117c10060 \n';
  yield 'ExtensionFlags (0x00000800)  DOE_DEFAULT_SD_PRESENT\nCharacteristics (0x00000100)  FILE_DEVICE_SECURE_OPEN\nDevice queue is not busy.\n';
}

const TYPES: Readonly<Record<string, readonly (readonly [bigint, string, string])[]>> = {
  _eprocess: [
    [0n, 'Pcb', '_KPROCESS'],
    [EPROCESS.UniqueProcessId, 'UniqueProcessId', 'Ptr64 Void'],
    [EPROCESS.ActiveProcessLinks, 'ActiveProcessLinks', '_LIST_ENTRY'],
    [EPROCESS.InheritedFromUniqueProcessId, 'InheritedFromUniqueProcessId', 'Ptr64 Void'],
    [EPROCESS.Peb, 'Peb', 'Ptr64 _PEB'],
    [EPROCESS.ObjectTable, 'ObjectTable', 'Ptr64 _HANDLE_TABLE'],
    [EPROCESS.ImageFileName, 'ImageFileName', '[15] UChar'],
  ],
  _kprocess: [[EPROCESS.DirectoryTableBase, 'DirectoryTableBase', 'Uint8B']],
  _list_entry: [
    [0n, 'Flink', 'Ptr64 _LIST_ENTRY'],
    [8n, 'Blink', 'Ptr64 _LIST_ENTRY'],
  ],
};

function fieldValue(kd: Debugger, address: bigint, type: string): string {
  if (type.startsWith('_')) return type;
  if (type.startsWith('[')) return `[15]  "${readText(kd, address, 'ansi', 15)}"`;
  const value = readNumber(kd.machine.memory, address, 8);
  if (value === undefined) return '???? ';
  if (type === 'Uint8B') return `0x${value.toString(16)}`;
  return value === 0n ? '(null) ' : `0x${tick(value)} ${type.replace('Ptr64 ', '')}`;
}

function* displayType(kd: Debugger, call: Invocation): Execution {
  const [name = '', ...rest] = words(call.rest).filter((w) => !w.startsWith('-'));
  const type = TYPES[name.toLowerCase().replace(/^nt!/, '')];
  if (!type) throw new CommandError(`Symbol ${name} not found.\n`);
  const last = rest.at(-1);
  const isAddress = last !== undefined && /^[@0-9(f]/.test(last);
  const address = isAddress ? evaluate(kd, last) : undefined;
  const fields = isAddress ? rest.slice(0, -1) : rest;
  for (const [offset, field, fieldType] of type) {
    if (fields.length > 0 && !fields.some((f) => field.toLowerCase().startsWith(f.toLowerCase()))) continue;
    const shown = address === undefined ? fieldType : fieldValue(kd, address + offset, fieldType);
    yield `   +0x${offset.toString(16).padStart(3, '0')} ${field.padEnd(16)} : ${shown}\n`;
  }
}

function* running(kd: Debugger, call: Invocation): Execution {
  const count = kd.machine.processors.length;
  const mask = plain((1n << BigInt(count)) - 1n);
  yield `\nSystem Processors:  (${mask})\n  Idle Processors:  (0000000000000000)\n\n`;
  yield '       Prcbs             Current         (pri) Next            (pri) Idle\n';
  const threads = kd.machine.processes.flatMap((p) => p.threads);
  for (let i = 0; i < count; i++) {
    const thread = threads.find((t) => t.state === 'running' && t.processor === i);
    const prcb = plain(PRCB + BigInt(i) * 0x10000n);
    yield `  ${i}    ${prcb}  ${plain(thread?.address ?? 0n)} ( 8)                       fffff80399bd15c0  ................\n\n`;
    if (!/-\w*t/.test(call.rest)) continue;
    yield ' # Child-SP          RetAddr               Call Site\n';
    for (const [n, frame] of framesOf(kd, 0x14).entries())
      yield `${n.toString(16).padStart(2, '0')} ${tick(frame.childSp)} ${tick(frame.returnAddress)}     ${siteOf(kd, frame.ip)}\n`;
    yield '\n';
  }
}

function* stacks(kd: Debugger): Execution {
  yield 'Proc.Thread  .Thread  Ticks   ThreadState Blocker\n';
  for (const process of kd.machine.processes) {
    yield `                            [${plain(process.address)} ${process.image}]\n`;
    for (const thread of process.threads)
      yield `${process.id.toString(16).padStart(4)}.${thread.id.toString(16).padStart(6, '0')}  ${plain(thread.address)} 00005ab ${thread.state === 'running' ? 'RUNNING   ' : 'Blocked   '} nt!KiSwapContext+0x2e\n`;
    yield '\n';
  }
}

export const SYSTEM: readonly Command[] = [
  { names: ['!drvobj'], target: true, dump: true, run: drvobj },
  { names: ['!devobj'], target: true, dump: true, run: devobj },
  { names: ['!running'], target: true, dump: true, run: running },
  { names: ['!stacks'], target: true, dump: true, run: stacks },
  { names: ['dt'], target: true, dump: true, run: displayType },
  {
    names: ['!irql'],
    target: true,
    *run(kd) {
      yield `Debugger saved IRQL for processor 0x${kd.processor.toString(16)} -- 2 (DISPATCH_LEVEL)\n`;
    },
  },
  {
    names: ['!pcr'],
    target: true,
    *run(kd) {
      const at = PRCB - 0x180n + BigInt(kd.processor) * 0x10000n;
      yield `KPCR for Processor ${kd.processor} at ${plain(at)}:\n    Major 1 Minor 1\n\tNtTib.ExceptionList: fffff80316010000\n\t\t        SelfPcr: 0000000000000000\n\t\t           Prcb: ${plain(at + 0x180n)}\n\t\t           Irql: 0000000000000000\n`;
    },
  },
  {
    names: ['!locks'],
    target: true,
    dump: true,
    *run() {
      yield '**** DUMP OF ALL RESOURCE OBJECTS ****\nKD: Scanning for held locks';
      for (let i = 0; i < 8; i++) yield '.';
      yield '\n27708 total locks\n';
    },
  },
];
