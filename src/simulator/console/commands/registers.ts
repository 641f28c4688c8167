/** `r` and the `k` family. */

import { readNumber } from '../../machine/memory.ts';
import { isRegister, REGISTERS } from '../../machine/processor.ts';
import { type Command, CommandError, caretError } from '../command.ts';
import { type Debugger, registers } from '../debugger.ts';
import { evaluate } from '../expression.ts';
import { locationLines } from '../location.ts';
import { framesOf, siteOf, threadFrames } from '../stack.ts';
import { plain, tick } from '../texts.ts';
import { threadAt } from './target.ts';

/** Names of the flags word, set and clear. */
const FLAGS: readonly (readonly [bit: bigint, set: string, clear: string])[] = [
  [11n, 'ov', 'nv'],
  [10n, 'dn', 'up'],
  [9n, 'ei', 'di'],
  [7n, 'ng', 'pl'],
  [6n, 'zr', 'nz'],
  [4n, 'ac', 'na'],
  // The engine names the parity of x64 the other way round than that of x86 (real engine).
  [2n, 'po', 'pe'],
  [0n, 'cy', 'nc'],
];

/** The register block that `r` prints, without the location. */
export function registerBlock(kd: Debugger): string {
  const p = registers(kd);
  const names = REGISTERS.slice(0, 17);
  let text = '';
  names.forEach((name, i) => {
    text += `${name.padStart(3)}=${plain(p[name])}${i % 3 === 2 || i === names.length - 1 ? '\n' : ' '}`;
  });
  const flags = FLAGS.map(([bit, set, clear]) => ((p.efl >> bit) & 1n ? set : clear)).join(' ');
  const four = (value: bigint) => value.toString(16).padStart(4, '0');
  return (
    `${text}iopl=${(p.efl >> 12n) & 3n}         ${flags}\n` +
    `cs=${four(p.cs)}  ss=${four(p.ss)}  ds=${four(p.ds)}  es=${four(p.es)}  fs=${four(p.fs)}  gs=${four(p.gs)}` +
    `             efl=${p.efl.toString(16).padStart(8, '0')}\n`
  );
}

function showRegister(kd: Debugger, name: string): string {
  if (name.startsWith('$')) return `${name}=${plain(kd.pseudo.get(name.slice(1)) ?? 0n)}\n`;
  if (isRegister(name)) {
    const width = /^(cs|ss|ds|es|fs|gs)$/.test(name) ? 4 : name === 'efl' ? 8 : 16;
    return `${name}=${registers(kd)[name].toString(16).padStart(width, '0')}\n`;
  }
  throw new CommandError('');
}

const r: Command = {
  names: ['r'],
  *run(kd, call) {
    const rest = call.rest.trim();
    if (rest === '') {
      if (kd.context) yield 'Last set context:\n';
      yield registerBlock(kd) + locationLines(kd);
      return;
    }
    const match = /^@?([$\w.]+)(?::\w+)?\s*(=?)\s*(.*)$/.exec(rest);
    const name = match?.[1]?.toLowerCase() ?? '';
    if (!match || !(name.startsWith('$') || isRegister(name)))
      throw caretError(kd, call.text.length - 1, 'Bad register error', call.text);
    if (match[2] === '=') {
      const value = evaluate(kd, match[3] ?? '');
      if (name.startsWith('$')) kd.pseudo.set(name.slice(1), value);
      else if (isRegister(name)) registers(kd)[name] = value;
      return;
    }
    const names = rest.split(/[\s,]+/).map((one) => one.replace(/^@/, '').toLowerCase());
    yield `${names.map((one) => showRegister(kd, one).trimEnd()).join(' ')}\n`;
  },
};

const k: Command = {
  names: ['k'],
  dump: true,
  *run(kd, call) {
    const unknown = /^\s*([g-km-z_]\w*)\s*$/i.exec(call.rest)?.[1];
    if (unknown !== undefined) throw new CommandError(`Couldn't resolve error at '${unknown}'\n`);
    const count = /([0-9a-f]+)\s*$/i.exec(call.rest)?.[1];
    const limit = count === undefined ? 0x14 : Number.parseInt(count, 16);
    const thread = kd.context && threadAt(kd, kd.context.address);
    if (thread) yield '  *** Stack trace for last set context - .thread/.cxr resets it\n';
    const frames = thread ? threadFrames(kd, thread).slice(0, limit) : framesOf(kd, limit);
    const numbered = call.name.includes('n') || kd.style.numberedStack;
    const withArguments = /[bv]/.test(call.name);
    const onlySites = call.name.includes('c');
    const withoutStack = call.name.includes('b') && !call.name.includes('v');
    const prefix = numbered ? ' # ' : '';
    if (onlySites) yield `${prefix}Call Site\n`;
    else
      yield `${prefix}${withoutStack ? '' : 'Child-SP          '}RetAddr               ${withArguments ? `: ${'Args to Child'.padEnd(71)} : ` : ''}Call Site\n`;
    for (const [i, frame] of frames.entries()) {
      const number = numbered ? `${i.toString(16).padStart(2, '0')} ` : '';
      const values = [1n, 2n, 3n, 4n].map(
        (n) => readNumber(kd.machine.memory, frame.childSp + n * 8n, 8) ?? 0n,
      );
      const args = withArguments ? `: ${values.map(tick).join(' ')} : ` : '';
      const site = siteOf(kd, frame.ip);
      if (onlySites) yield `${number}${site.replace(/\+0x[0-9a-f]+$/, '')}\n`;
      else
        yield `${number}${withoutStack ? '' : `${tick(frame.childSp)} `}${tick(frame.returnAddress)}     ${args}${site}\n`;
    }
  },
};

const rm: Command = {
  names: ['rm'],
  *run() {
    yield 'Register output mask is a:\n       2 - Integer state (64-bit)\n       8 - Segment registers\n';
  },
};

export const REGISTERS_AND_STACKS: readonly Command[] = [r, rm, k];
