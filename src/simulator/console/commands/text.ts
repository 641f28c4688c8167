/** Commands that only print or do nothing: `.echo`, comments. */
import type { Command } from '../command.ts';

export const TEXT: readonly Command[] = [
  {
    names: ['.echo'],
    *run(_kd, call) {
      const text = call.rest.trim();
      yield `${/^".*"$/.test(text) ? text.slice(1, -1) : text}\n`;
    },
  },
  { names: ['*'], extent: 'line', *run() {} },
  { names: ['$$'], *run() {} },
];
