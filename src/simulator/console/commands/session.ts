/** Commands that end the session. */
import { type Command, caretError } from '../command.ts';

function ending(names: readonly string[], guest: 'running' | 'frozen'): Command {
  return {
    names,
    *run(kd, call) {
      if (call.rest.trim() !== '') throw caretError(kd, call.name.length, 'Syntax error', call.text);
      yield 'quit:\n';
      yield { kind: 'quit', guest };
    },
  };
}

export const SESSION: readonly Command[] = [
  ending(['q', 'qq', 'Q', 'QQ'], 'frozen'),
  ending(['qd', 'QD', 'qqd', 'QQD'], 'running'),
];
