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

export const FLOW: readonly Command[] = [
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
