/** Code and symbols: `u`, `uf`, `x`, `ln`. */
import { nameOf, placeOf } from '../../machine/symbols.ts';
import { parseRange, wildcard } from '../arguments.ts';
import { type Command, CommandError, caretError, type Execution, type Invocation } from '../command.ts';
import { type Debugger, knownModules, registers } from '../debugger.ts';
import { evaluate } from '../expression.ts';
import { instructionAt, instructionLine } from '../location.ts';
import { tick } from '../texts.ts';

function* unassemble(kd: Debugger, call: Invocation): Execution {
  const range = parseRange(kd, call.rest, 1);
  let address = range?.address ?? kd.disassembleNext ?? registers(kd).rip;
  // Backwards over what stands between functions: one byte each.
  if (call.name === 'ub') address -= BigInt(range?.count ?? 8);
  const name = nameOf(kd.machine.modules, address);
  if (name !== undefined) yield `${name}:\n`;
  for (let i = 0; i < (range?.count ?? 8); i++) {
    const instruction = instructionAt(kd, address);
    yield instructionLine(kd, address);
    if (!instruction) {
      throw caretError(kd, call.text.length - call.rest.trim().length, 'Memory access error', call.text);
    }
    address += BigInt(instruction.bytes.length);
    if (call.name === 'uf' && instruction.mnemonic === 'ret') break;
  }
  kd.disassembleNext = address;
}

function* examine(kd: Debugger, call: Invocation): Execution {
  const pattern = call.rest.replace(/\/\w+/g, '').trim();
  const [modulePattern = '', symbolPattern = '*'] = pattern.split('!');
  const modules = knownModules(kd).filter((m) => wildcard(modulePattern).test(m.name));
  if (modules.length === 0) {
    const [named = ''] = call.text.split('!');
    throw new CommandError(`${' '.repeat(kd.prompt().length + named.length)}^ Couldn't resolve '${named}'\n`);
  }
  const matches = wildcard(symbolPattern);
  for (const module of modules)
    for (const [name, rva] of Object.entries(module.symbols).sort((a, b) => a[1] - b[1]))
      if (matches.test(name))
        yield `${tick(module.base + BigInt(rva))} ${module.name}!${name} (<no parameter info>)\n`;
}

function* nearest(kd: Debugger, call: Invocation): Execution {
  const place = placeOf(kd.machine.modules, evaluate(kd, call.rest));
  if (!place?.symbol) return;
  if (kd.dml) yield 'Browse module\nSet bu breakpoint\n\n';
  const module = place.module.name;
  const next = place.next ? `(${tick(place.next.address)})   ${module}!${place.next.name}` : '';
  const offset = place.offset === 0n ? '' : `+0x${place.offset.toString(16)}`;
  yield `(${tick(place.symbolAddress)})   ${module}!${place.symbol}${offset}   |  ${next}\n`;
  if (place.offset === 0n) yield `Exact matches:\n    ${module}!${place.symbol} (<no parameter info>)\n`;
}

export const CODE: readonly Command[] = [
  { names: ['u', 'uf', 'ub', 'up'], dump: true, target: true, run: unassemble },
  { names: ['x'], dump: true, run: examine },
  { names: ['ln'], run: nearest },
];
