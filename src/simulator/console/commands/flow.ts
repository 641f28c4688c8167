/** Control flow, aliases and waiting. */
import { unquote, words } from '../arguments.ts';
import { type Command, caretError, type Execution, type Invocation, quietly } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { evaluate } from '../expression.ts';
import { closingBrace } from '../statements.ts';

interface Block {
  readonly head: string;
  readonly body: string;
  readonly rest: string;
}

/** `(head) { body } rest`. @throws CommandError for a missing brace or parenthesis. */
function blockOf(kd: Debugger, call: Invocation, text: string): Block {
  const open = text.indexOf('{');
  const end = open < 0 ? -1 : closingBrace(text, open);
  if (end < 0) {
    const column = call.text.length - text.length + Math.max(0, open);
    throw caretError(kd, column, 'Syntax error', call.text);
  }
  const head = text.slice(0, open).trim();
  return {
    head: head.replace(/^\(([\s\S]*)\)$/, '$1'),
    body: text.slice(open + 1, end - 1),
    rest: text.slice(end),
  };
}

function* runIf(kd: Debugger, call: Invocation): Execution {
  let text = call.rest;
  for (;;) {
    const block = blockOf(kd, call, text);
    if (block.head === '' || evaluate(kd, block.head) !== 0n) {
      yield* kd.execute(block.body);
      return;
    }
    const next = /^\s*\.(elsif|else)\b/.exec(block.rest);
    if (!next) return;
    text = block.rest.slice(next[0].length);
  }
}

function* loop(kd: Debugger, call: Invocation): Execution {
  const block = blockOf(kd, call, call.rest);
  const [start, condition, step] = call.name === '.for' ? block.head.split(';') : ['', block.head, ''];
  yield* kd.execute(start ?? '');
  while (evaluate(kd, condition ?? '0') !== 0n) {
    yield* kd.execute(block.body);
    yield* kd.execute(step ?? '');
    // Gives a break its chance even in a loop that prints nothing.
    yield '';
  }
}

/** `.foreach (name { commands }) { body }`: the body once per word that the commands print. */
function* forEach(kd: Debugger, call: Invocation): Execution {
  const source = /^\s*\(\s*(\w+)\s*/.exec(call.rest);
  if (!source) throw caretError(kd, call.text.length, 'Syntax error', call.text);
  const inner = blockOf(kd, call, call.rest.slice(source[0].length));
  const body = blockOf(kd, call, inner.rest.replace(/^\s*\)/, ''));
  let printed = '';
  const running = kd.execute(inner.body);
  let answer = '';
  for (let step = running.next(answer); !step.done; step = running.next(answer)) {
    if (typeof step.value === 'string') printed += step.value;
    else answer = yield step.value;
  }
  const name = source[1] ?? '';
  const saved = kd.aliases.get(name);
  for (const word of printed.split(/\s+/).filter((w) => w !== '')) {
    kd.aliases.set(name, word);
    yield* kd.execute(body.body);
  }
  if (saved === undefined) kd.aliases.delete(name);
  else kd.aliases.set(name, saved);
}

/** `j expression 'commands' ; 'commands'`. */
function* jump(kd: Debugger, call: Invocation): Execution {
  const match = /^(.*?)\s*(?:'([^']*)'|([^;']+))\s*;\s*(?:'([^']*)'|([^;']*))/.exec(call.rest);
  if (!match) throw caretError(kd, call.text.length, 'Syntax error', call.text);
  const chosen = evaluate(kd, match[1] ?? '') !== 0n ? (match[2] ?? match[3]) : (match[4] ?? match[5]);
  yield* kd.execute(chosen ?? '');
}

export const FLOW: readonly Command[] = [
  { names: ['.foreach'], run: forEach },
  { names: ['j'], extent: 'line', run: jump },
  { names: ['.if'], extent: 'block', run: runIf },
  { names: ['.for', '.while'], extent: 'block', run: loop },
  {
    names: ['.block'],
    extent: 'block',
    *run(kd, call) {
      yield* kd.execute(blockOf(kd, call, call.rest).body);
    },
  },
  {
    // Hexadecimal by default, and breaks are ignored (engine.md §5).
    names: ['.sleep'],
    *run(kd, call) {
      yield { kind: 'pause', ms: Number(evaluate(kd, call.rest)), deaf: true };
    },
  },
  {
    names: ['as'],
    extent: 'line',
    run: quietly((kd, call) => {
      const match = /^\s*(\S+)\s*(.*)$/.exec(call.rest);
      if (match?.[1]) kd.aliases.set(match[1], match[2] ?? '');
    }),
  },
  {
    names: ['aS'],
    run: quietly((kd, call) => {
      const [name, ...rest] = words(call.rest);
      if (name !== undefined) kd.aliases.set(name, rest.map(unquote).join(' '));
    }),
  },
  {
    names: ['ad'],
    *run(kd, call) {
      const name = call.rest.replace('/q', '').trim();
      if (name === '*') kd.aliases.clear();
      else if (!kd.aliases.delete(name)) yield `No alias named '${name}'\n`;
    },
  },
  {
    names: ['al'],
    *run(kd) {
      if (kd.aliases.size === 0) yield 'No aliases\n';
      else yield '  Alias            Value  \n -------          ------- \n';
      for (const [name, value] of kd.aliases) yield ` ${name.padEnd(16)} ${value} \n`;
    },
  },
];
