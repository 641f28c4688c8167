/** The `d` commands: memory as bytes, numbers, texts and pointers. */
import { readNumber } from '../../machine/memory.ts';
import { nameOf } from '../../machine/symbols.ts';
import { parseRange } from '../arguments.ts';
import { type Command, CommandError, caretError, type Execution, type Invocation } from '../command.ts';
import { type Debugger, registers } from '../debugger.ts';
import { printable } from '../strings.ts';
import { tick } from '../texts.ts';

const HEX = Array.from({ length: 256 }, (_, b) => b.toString(16).padStart(2, '0'));
const CHARS = Array.from({ length: 256 }, (_, b) => printable(b));
/** Rows that go out in one piece. */
const ROWS = 128;

/** One row of `db`: up to 16 bytes from `from`; bytes behind the end of `bytes` are not readable. */
function byteRow(address: bigint, bytes: Uint8Array, from: number, count: number): string {
  let hex = '';
  let chars = '';
  for (let i = 0; i < count; i++) {
    const byte = bytes[from + i];
    hex += (i === 0 ? '' : i === 8 ? '-' : ' ') + (byte === undefined ? '??' : HEX[byte]);
    chars += byte === undefined ? '?' : CHARS[byte];
  }
  return `${tick(address)}  ${hex.padEnd(47)}  ${chars}\n`;
}

function* showBytes(kd: Debugger, address: bigint, count: number): Execution {
  let at = address;
  for (let left = count; left > 0; ) {
    const size = Math.min(left, ROWS * 16);
    const bytes = kd.machine.memory.read(at, size);
    let text = '';
    for (let from = 0; from < size; from += 16)
      text += byteRow(at + BigInt(from), bytes, from, Math.min(16, size - from));
    yield text;
    at += BigInt(size);
    left -= size;
  }
}

function* showNumbers(
  kd: Debugger,
  address: bigint,
  count: number,
  size: 2 | 4 | 8,
  characters = false,
): Execution {
  const perRow = 16 / size;
  let text = '';
  for (let i = 0; i < count; i += perRow) {
    const row = address + BigInt(i * size);
    const values: string[] = [];
    for (let j = 0; j < perRow && i + j < count; j++) {
      const value = readNumber(kd.machine.memory, row + BigInt(j * size), size);
      if (size === 8) values.push(value === undefined ? '????????`????????' : tick(value));
      else
        values.push(value === undefined ? '?'.repeat(size * 2) : value.toString(16).padStart(size * 2, '0'));
    }
    const shown = [...kd.machine.memory.read(row, 16)].map(printable).join('').padEnd(16, '?');
    text += `${tick(row)}  ${values.join(' ')}${characters ? `  ${shown}` : ''}\n`;
    if (text.length > 1 << 13) {
      yield text;
      text = '';
    }
  }
  yield text;
}

function* showPointers(kd: Debugger, address: bigint, count: number): Execution {
  for (let i = 0; i < count; i++) {
    const at = address + BigInt(i * 8);
    const value = readNumber(kd.machine.memory, at, 8);
    const name = value === undefined ? undefined : nameOf(kd.machine.modules, value);
    yield `${tick(at)}  ${value === undefined ? '????????`????????' : tick(value)}${name === undefined ? '' : ` ${name}`}\n`;
  }
}

/** `dds`: like `dps` with values of 4 bytes. */
function* showHalfPointers(kd: Debugger, address: bigint, count: number): Execution {
  for (let i = 0; i < count; i++) {
    const at = address + BigInt(i * 4);
    const value = readNumber(kd.machine.memory, at, 4);
    yield `${tick(at)}  ${value === undefined ? '????????' : value.toString(16).padStart(8, '0')}\n`;
  }
}

/** Rows of a text: each has both quotes. */
function* showText(kd: Debugger, address: bigint, count: number | undefined, size: 1 | 2): Execution {
  const perRow = 32;
  let at = address;
  for (let left = count ?? 512; left > 0; left -= perRow) {
    const bytes = Buffer.from(kd.machine.memory.read(at, Math.min(left, perRow) * size));
    if (bytes.length === 0) {
      yield `${tick(at)}  "${'?'.repeat(size === 1 ? 32 : 16)}"\n`;
      return;
    }
    const text = kd.decodeText(bytes, size);
    const end = text.indexOf('\0');
    yield `${tick(at)}  "${(end < 0 ? text : text.slice(0, end)).replace(/[\x00-\x1f]/g, '.')}"\n`;
    if (end >= 0 || bytes.length < perRow * size) return;
    at += BigInt(perRow * size);
  }
}

interface Form {
  readonly unit: 1 | 2 | 4 | 8;
  readonly usual: number;
  readonly show: (kd: Debugger, address: bigint, count: number, given: boolean) => Execution;
}

const FORMS: Readonly<Record<string, Form>> = {
  db: { unit: 1, usual: 0x80, show: showBytes },
  dw: { unit: 2, usual: 0x40, show: (kd, a, n) => showNumbers(kd, a, n, 2) },
  dd: { unit: 4, usual: 0x20, show: (kd, a, n) => showNumbers(kd, a, n, 4) },
  dc: { unit: 4, usual: 0x20, show: (kd, a, n) => showNumbers(kd, a, n, 4, true) },
  dq: { unit: 8, usual: 0x10, show: (kd, a, n) => showNumbers(kd, a, n, 8) },
  dp: { unit: 8, usual: 0x10, show: (kd, a, n) => showNumbers(kd, a, n, 8) },
  dps: { unit: 8, usual: 0x10, show: showPointers },
  dqs: { unit: 8, usual: 0x10, show: showPointers },
  dds: { unit: 4, usual: 0x20, show: showHalfPointers },
  da: { unit: 1, usual: 512, show: (kd, a, n, given) => showText(kd, a, given ? n : undefined, 1) },
  du: { unit: 2, usual: 512, show: (kd, a, n, given) => showText(kd, a, given ? n : undefined, 2) },
};

function* dump(kd: Debugger, call: Invocation): Execution {
  const name = call.name === 'd' ? kd.dumpName : call.name;
  const form = FORMS[name];
  if (!form) throw new CommandError(`Couldn't resolve error at '${call.text.slice(1)}'\n`);
  kd.dumpName = name;
  const range = parseRange(kd, call.rest, form.unit);
  const address = range?.address ?? (kd.dumpNext === 0n ? registers(kd).rip : kd.dumpNext);
  const count = range?.count ?? form.usual;
  kd.dumpNext = address + BigInt(count * form.unit);
  yield* form.show(kd, address, count, range?.count !== undefined);
}

/** `s address L count bytes`: a row of memory at each place that holds them. */
function* search(kd: Debugger, call: Invocation): Execution {
  const match = /^\s*(?:-b\s+)?(.*\sL\??\s*\S+)\s+((?:[0-9a-f]{1,2}\s*)+)$/i.exec(call.rest);
  const range = match?.[1] === undefined ? undefined : parseRange(kd, match[1], 1);
  if (!range) throw caretError(kd, call.text.length, 'Syntax error', call.text);
  const wanted = Buffer.from((match?.[2] ?? '').split(/\s+/).map((byte) => Number.parseInt(byte, 16)));
  const memory = Buffer.from(kd.machine.memory.read(range.address, range.count ?? 0));
  for (let at = memory.indexOf(wanted); at >= 0; at = memory.indexOf(wanted, at + 1)) {
    const address = range.address + BigInt(at);
    yield byteRow(address, kd.machine.memory.read(address, 16), 0, 16);
  }
}

export const MEMORY_SHOW: readonly Command[] = [
  { names: ['s'], dump: true, target: true, run: search },
  { names: ['d', ...Object.keys(FORMS)], dump: true, target: true, run: dump },
];
