/** The `e` commands and `f`: writing the guest's memory. Without values kd asks for them at `Input> `. */
import { littleEndian, readNumber } from '../../machine/memory.ts';
import { unquote, words } from '../arguments.ts';
import { type Command, caretError, type Execution, type Invocation, quietly } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { evaluate, parseExpression } from '../expression.ts';
import { tick } from '../texts.ts';

const SIZES: Readonly<Record<string, 1 | 2 | 4 | 8>> = { eb: 1, ew: 2, ed: 4, eq: 8, ep: 8, e: 1 };

function write(kd: Debugger, call: Invocation, address: bigint, bytes: Uint8Array, column: number): void {
  if (kd.machine.memory.write(address, bytes) < bytes.length)
    throw caretError(kd, column, 'Memory access error', call.text);
}

/** Values of a list, quoted texts as their characters. */
function bytesOf(kd: Debugger, list: readonly string[], size: number): Uint8Array {
  return Buffer.concat(
    list.map((word) =>
      word.startsWith('"') ? kd.encodeText(unquote(word), 1) : littleEndian(evaluate(kd, word), size),
    ),
  );
}

function* enter(kd: Debugger, call: Invocation): Execution {
  const size = SIZES[call.name] ?? 1;
  const start = parseExpression(kd, call.rest, 0);
  const list = words(call.rest.slice(start.end));
  if (list.length > 0) {
    write(kd, call, start.value, bytesOf(kd, list, size), call.text.length - (list.at(-1)?.length ?? 0));
    return;
  }
  let address = start.value;
  for (;;) {
    const old = readNumber(kd.machine.memory, address, size);
    if (old === undefined) throw caretError(kd, call.text.length, 'Memory access error', call.text);
    yield `${tick(address)} ${old.toString(16).padStart(size * 2, '0')} `;
    const line = (yield { kind: 'ask', prompt: 'Input> ' }).trim();
    if (line === '') return;
    const bytes = bytesOf(kd, words(line), size);
    write(kd, call, address, bytes, call.text.length);
    address += BigInt(bytes.length);
  }
}

function enterText(kd: Debugger, call: Invocation): void {
  const start = parseExpression(kd, call.rest, 0);
  const text = unquote(call.rest.slice(start.end).trim());
  const bytes = kd.encodeText(
    call.name.startsWith('ez') ? `${text}\0` : text,
    call.name.endsWith('u') ? 2 : 1,
  );
  write(kd, call, start.value, bytes, call.text.length);
}

function* fill(kd: Debugger, call: Invocation): Execution {
  const match = /^(.*?)\s+L\??\s*(\S+)\s+(.+)$/i.exec(call.rest);
  if (!match) throw caretError(kd, call.text.length, 'Syntax error', call.text);
  const count = Number(evaluate(kd, match[2] ?? ''));
  const pattern = bytesOf(kd, words(match[3] ?? ''), 1);
  const bytes = new Uint8Array(count).map((_, i) => pattern[i % pattern.length] ?? 0);
  write(kd, call, evaluate(kd, match[1] ?? ''), bytes, call.text.length);
  yield `Filled 0x${count.toString(16)} bytes\n`;
}

function* assemble(kd: Debugger, call: Invocation): Execution {
  let address = call.rest.trim() === '' ? kd.dumpNext : evaluate(kd, call.rest);
  const known: Readonly<Record<string, readonly number[]>> = {
    nop: [0x90],
    ret: [0xc3],
    'int 3': [0xcc],
    'xor eax,eax': [0x33, 0xc0],
  };
  for (;;) {
    const line = (yield { kind: 'ask', prompt: `${tick(address)} ` }).trim();
    if (line === '') return;
    const bytes = known[line.toLowerCase()];
    if (bytes) {
      write(kd, call, address, Uint8Array.from(bytes), call.text.length);
      address += BigInt(bytes.length);
    } else yield `${' '.repeat(18)}^ Syntax error in '${line}'\n`;
  }
}

export const MEMORY_CHANGE: readonly Command[] = [
  { names: Object.keys(SIZES), target: true, run: enter },
  { names: ['ea', 'eu', 'eza', 'ezu'], target: true, run: quietly(enterText) },
  { names: ['f'], target: true, run: fill },
  { names: ['a'], target: true, run: assemble },
];
