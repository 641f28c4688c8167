/** Memory manager extensions: `!pool`, `!pte`, `!vm`. */
import { POOL_BASE, POOL_SIZE } from '../../machine/machine.ts';
import type { Command, Execution, Invocation } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { evaluate } from '../expression.ts';
import { plain } from '../texts.ts';

const TAGS = [
  ['MyDr', '\t\tOwning component : Unknown (update pooltag.txt)'],
  ['FMis', '\t\tPooltag FMis : FLT_INSTANCE structure, Binary : fltmgr.sys'],
  ['File', '\t\tPooltag File : File objects'],
  ['Thre', '\t\tPooltag Thre : Thread objects, Binary : nt!ps'],
] as const;

function* pool(kd: Debugger, call: Invocation): Execution {
  const address = evaluate(kd, call.rest.trim().split(/\s+/)[0] ?? '');
  const readable = kd.machine.memory.read(address, 1).length > 0;
  const inPool = address >= POOL_BASE && address < POOL_BASE + BigInt(POOL_SIZE);
  if (!readable || !inPool) {
    yield `Pool page ${plain(address)} region is Unknown\n`;
    yield `${plain(address)} is not valid pool. Checking for freed (or corrupt) pool\n`;
    yield readable
      ? `Bad allocation size @${plain(address)}, zero is invalid\n`
      : `Address ${plain(address)} could not be read. It may be a freed, invalid or paged out page\n`;
    return;
  }
  yield `Pool page ${plain(address)} region is Nonpaged pool\n`;
  const page = address & ~0xfffn;
  let previous = 0;
  for (let offset = 0; offset < 0x1000; ) {
    const size = 0x200 + ((offset >> 4) % 5) * 0x100;
    const length = Math.min(size, 0x1000 - offset);
    const at = page + BigInt(offset);
    const here = address >= at && address < at + BigInt(length);
    const [tag, note] = TAGS[(offset >> 8) % TAGS.length] ?? TAGS[0];
    const state = tag === 'File' ? '(Free)     ' : '(Allocated)';
    yield `${here ? '*' : ' '}${plain(at)} size: ${length.toString(16).padStart(4)} previous size: ${previous.toString(16).padStart(4)}  ${state} ${here ? '*' : ' '}${tag}\n`;
    if (here) yield `${note}\n`;
    previous = length;
    offset += length;
  }
}

const PTE_BASE = 0xffffba00_00000000n;

function* pte(kd: Debugger, call: Invocation): Execution {
  const address = evaluate(kd, call.rest);
  const upper = (value: bigint) => plain(value).toUpperCase();
  const entry = (of: bigint) => PTE_BASE + ((of & 0xffff_ffffffffn) >> 12n) * 8n;
  const level = [entry(address)];
  for (let i = 0; i < 3; i++) level.unshift(entry(level[0] ?? 0n));
  const readable = kd.machine.memory.read(address, 1).length > 0;
  yield `                                           VA ${plain(address)}\n`;
  const names = ['PXE', 'PPE', 'PDE', 'PTE'];
  yield `${level.map((at, i) => `${names[i]} at ${upper(at)}`).join('    ')}\n`;
  const frames = [0x2182n, 0x2185n, 0x2186n, (address >> 12n) & 0xfffffn];
  const contents = frames.map((pfn, i) => (i === 3 && !readable ? 0n : (pfn << 12n) | 0x863n));
  yield `${contents.map((value) => `contains ${upper(value)}`).join('  ')}\n`;
  const shown = frames.map((pfn, i) =>
    i === 3 && !readable ? 'not valid' : `pfn ${pfn.toString(16).padEnd(9)} ---DA--KWEV`,
  );
  yield `${shown.join('  ')}\n\n`;
}

export const POOL: readonly Command[] = [
  { names: ['!pool'], dump: true, target: true, run: pool },
  { names: ['!pte'], dump: true, target: true, run: pte },
  {
    names: ['!vm'],
    dump: true,
    target: true,
    *run(kd, call) {
      yield 'Page File: \\??\\C:\\pagefile.sys\n  Current:   1048576 Kb  Free Space:   1040384 Kb\n  Minimum:   1048576 Kb  Maximum:      4194304 Kb\n\n';
      yield 'Physical Memory:          1048446 (    4193784 Kb)\nAvailable Pages:           693849 (    2775396 Kb)\n';
      yield 'NonPagedPool Usage:           268 (       1072 Kb)\nPagedPool Usage:            68600 (     274400 Kb)\n\n';
      if (/\b1\b/.test(call.rest)) return;
      for (const p of kd.machine.processes)
        yield `         ${p.id.toString(16).padStart(4, '0')} ${p.image.padEnd(16)} ${String(682 + (p.id % 97)).padStart(8)} (${String(4 * (682 + (p.id % 97))).padStart(9)} Kb)\n`;
    },
  },
];
