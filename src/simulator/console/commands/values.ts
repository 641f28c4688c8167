/** Values of expressions. */

import { littleEndian } from '../../machine/memory.ts';
import type { Command } from '../command.ts';
import { evaluate } from '../expression.ts';
import { printable } from '../strings.ts';
import { ctime, tick } from '../texts.ts';

/** `1.5` as the C library prints `%g`. */
function general(value: number): string {
  if (value === 0) return '0';
  const text = value
    .toPrecision(6)
    .replace(/(\.\d*?)0+(?=e|$)/, '$1')
    .replace(/\.(?=e|$)/, '');
  return text.replace(/e([+-])(\d{1,2})$/, (_, sign, digits) => `e${sign}${digits.padStart(3, '0')}`);
}

function formats(value: bigint): string {
  const bytes = Buffer.from(littleEndian(value, 8));
  const binary = [...bytes].reverse().map((b) => b.toString(2).padStart(8, '0'));
  const chars = [...bytes].reverse().map(printable).join('');
  const time = value < 0x1_0000_0000n ? ctime(new Date(Number(value) * 1000)) : '***** Invalid';
  return (
    'Evaluate expression:\n' +
    `  Hex:     ${tick(value)}\n` +
    `  Decimal: ${BigInt.asIntN(64, value)}\n` +
    `  Decimal (unsigned) : ${value}\n` +
    `  Octal:   ${value.toString(8).padStart(22, '0')}\n` +
    `  Binary:  ${binary.join(' ')}\n` +
    `  Chars:   ${chars}\n` +
    `  Time:    ${time}\n` +
    `  Float:   low ${general(bytes.readFloatLE(0))} high ${general(bytes.readFloatLE(4))}\n` +
    `  Double:  ${general(bytes.readDoubleLE(0))}\n`
  );
}

const HELP = `
Open debugger.chm for complete debugger documentation

B[C|D|E][<bps>] - clear/disable/enable breakpoint(s)
BL - list breakpoints
BP <address> - set soft breakpoint
D[type][<range>] - dump memory
E[b|d|q...] <address> [<values>] - enter memory values
G[H|N] [=<address> [<address>...]] - go
K <count> - stacktrace
LM - list modules
Q - quit
R [[<reg> [= <expr>]]] - view or set registers
U [<range>] - unassemble
`;

export const VALUES: readonly Command[] = [
  {
    names: ['?'],
    *run(kd, call) {
      if (call.rest.trim() === '') {
        yield HELP;
        yield { kind: 'ask', prompt: 'Hit Enter...' };
        yield '\n? <expr> - display expression\n<control-B> <enter> - quit debugger\n';
        return;
      }
      const value = evaluate(kd, call.rest);
      yield `Evaluate expression: ${BigInt.asIntN(64, value)} = ${tick(value)}\n`;
    },
  },
  {
    names: ['.formats'],
    *run(kd, call) {
      yield formats(evaluate(kd, call.rest));
    },
  },
  {
    names: ['n'],
    *run(kd, call) {
      const base = call.rest.trim();
      if (base === '10' || base === '16') kd.radix = base === '10' ? 10 : 16;
      yield `base is ${kd.radix}\n`;
    },
  },
];
