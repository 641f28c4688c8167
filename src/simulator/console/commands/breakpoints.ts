/** `bp`, `bu`, `ba`, `bl`, `bc`, `bd`, `be`, and the event filters `sx*`. */

import { nameOf } from '../../machine/symbols.ts';
import { unquote, wildcard, words } from '../arguments.ts';
import { addPlain, freeNumber, tryEvaluate } from '../breakpoints.ts';
import {
  type Command,
  CommandError,
  caretError,
  type Execution,
  type Invocation,
  quietly,
} from '../command.ts';
import { type Breakpoint, type Debugger, knownModules } from '../debugger.ts';
import { filterList } from '../event-filters.ts';
import { tick } from '../texts.ts';

function requireLive(kd: Debugger): void {
  const { kind } = kd.options.target;
  if (kind === 'local' || kind === 'dump')
    throw new CommandError('Operation not supported by current debuggee\n');
}

function* set(kd: Debugger, call: Invocation): Execution {
  requireLive(kd);
  const list = words(call.rest);
  const access = call.name === 'ba' ? list.shift() : undefined;
  const commandWord = list.find((w) => w.startsWith('"'));
  const plain = list.filter((w) => w !== commandWord && !w.startsWith('/'));
  let expression = plain[0] ?? '';
  let passes = plain[1] === undefined ? 1 : Number.parseInt(plain[1], 16) || 1;
  if (plain.length > 2) throw caretError(kd, call.text.length, 'Extra character error', call.text);
  if (expression === '') expression = '@rip';
  const address = tryEvaluate(kd, expression);
  if (address === undefined && !expression.includes('!') && call.name !== 'bu')
    throw new CommandError(`Couldn't resolve error at '${expression}'\n`);
  if (address !== undefined && kd.machine.memory.read(address, 1).length === 0) {
    const { shown } = caretError(kd, call.text.indexOf(expression), 'Memory access error', call.text);
    throw new CommandError(`Invalid breakpoint address\n${shown}`);
  }
  // `bu` is meant for what is not there yet.
  if (address === undefined && call.name !== 'bu')
    yield `Bp expression '${expression}' could not be resolved, adding deferred bp\n`;
  const same = kd.breakpoints.find(
    (b) => address !== undefined && b.address === address && !b.access === !access,
  );
  if (same) yield `breakpoint ${same.id} redefined\n`;
  if (passes < 1) passes = 1;
  const breakpoint: Breakpoint = {
    id: same?.id ?? freeNumber(kd),
    enabled: true,
    address,
    expression,
    command: commandWord === undefined ? '' : unquote(commandWord),
    ...(access === undefined ? {} : { access: `${access[0]} ${access.slice(1) || '1'}` }),
    passes,
    left: passes,
    once: list.includes('/1'),
  };
  kd.breakpoints = [...kd.breakpoints.filter((b) => b !== same), breakpoint].sort((a, b) => a.id - b.id);
}

function* setMany(kd: Debugger, call: Invocation): Execution {
  requireLive(kd);
  const [modulePattern = '*', symbolPattern = '*'] = (words(call.rest)[0] ?? '').split('!');
  for (const module of knownModules(kd).filter((m) => wildcard(modulePattern).test(m.name)))
    for (const [name, rva] of Object.entries(module.symbols)) {
      if (rva >= module.codeEnd || !wildcard(symbolPattern).test(name)) continue;
      const address = module.base + BigInt(rva);
      const expression = `${module.name}!${name}`;
      const { id } = addPlain(kd, { address, expression }, { once: false });
      yield `${String(id).padStart(3)}: ${tick(address)} @!"${expression}"\n`;
    }
}

function* list(kd: Debugger): Execution {
  for (const b of kd.breakpoints) {
    const state = `${b.enabled ? 'e' : 'd'}${b.address === undefined ? 'u' : ' '}`;
    const address = b.address === undefined ? ' '.repeat(17) : tick(b.address);
    const access = b.access ? ` ${b.access}` : '    ';
    const hex = (n: number) => n.toString(16).padStart(4, '0');
    const name =
      b.address === undefined ? `(${b.expression})` : (nameOf(kd.machine.modules, b.address) ?? b.expression);
    const links = kd.dml ? `${b.enabled ? 'Disable' : 'Enable'} Clear ` : '';
    const command = b.command === '' ? '' : ` "${b.command}"`;
    const head = kd.dml ? '    ' : '';
    yield `${head}${String(b.id).padStart(2)} ${state}${links}${kd.dml ? ' ' : ''}${address}${access} ${hex(b.left)} (${hex(b.passes)}) ${name}${command}\n`;
  }
  yield '\n';
}

/** Numbers of a list: `*`, `1,3`, `0-2`. */
function chosen(kd: Debugger, text: string): readonly Breakpoint[] {
  if (text.trim() === '*') return kd.breakpoints;
  const numbers = new Set<number>();
  for (const part of text.split(/[\s,]+/)) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!match) continue;
    for (let i = Number(match[1]); i <= Number(match[2] ?? match[1]); i++) numbers.add(i);
  }
  return kd.breakpoints.filter((b) => numbers.has(b.id));
}

export const BREAKPOINTS: readonly Command[] = [
  { names: ['bp', 'bu', 'ba'], run: set },
  { names: ['bm'], run: setMany },
  { names: ['bl'], run: list },
  {
    names: ['bc'],
    run: quietly((kd, call) => {
      const gone = chosen(kd, call.rest);
      kd.breakpoints = kd.breakpoints.filter((b) => !gone.includes(b));
    }),
  },
  {
    names: ['bd', 'be'],
    run: quietly((kd, call) => {
      for (const b of chosen(kd, call.rest)) b.enabled = call.name === 'be';
    }),
  },
  {
    names: ['sxe', 'sxd', 'sxi', 'sxn'],
    run: quietly((kd, call) => {
      const list = words(call.rest);
      const at = list.indexOf('-c');
      const command = at < 0 ? '' : unquote(list[at + 1] ?? '');
      const event = list.filter((_, i) => at < 0 || (i !== at && i !== at + 1))[0];
      const [code, pattern = '*'] = (event ?? '').split(/:(.*)/);
      if (code === undefined || code === '')
        throw caretError(kd, call.text.length, 'Syntax error', call.text);
      if (call.name === 'sxe') kd.filters.set(code, { pattern, command });
      else kd.filters.delete(code);
    }),
  },
  {
    names: ['sxr'],
    *run(kd) {
      kd.filters.clear();
      yield 'sx state reset to defaults\n';
    },
  },
  {
    names: ['sx'],
    *run(kd) {
      yield filterList(kd.filters.keys());
    },
  },
];
