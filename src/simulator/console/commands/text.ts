/** Commands that only print or do nothing: `.echo`, comments, `.printf`. */
import { type Command, caretError, quietly } from '../command.ts';
import { formatText } from '../printf.ts';

export const TEXT: readonly Command[] = [
  {
    names: ['.echo'],
    *run(_kd, call) {
      const text = call.rest.trim();
      yield `${/^".*"$/.test(text) ? text.slice(1, -1) : text}\n`;
    },
  },
  {
    names: ['.printf'],
    *run(kd, call) {
      const match = /^\s*(?:\/D\s*)?"((?:\\.|[^"\\])*)"\s*(?:,(.*))?$/s.exec(call.rest);
      if (!match) throw caretError(kd, call.name.length + 1, 'Syntax error', call.text);
      yield formatText(kd, match[1] ?? '', match[2] ?? '', call);
    },
  },
  { names: ['*'], extent: 'line', run: quietly(() => {}) },
  { names: ['$$'], run: quietly(() => {}) },
];
