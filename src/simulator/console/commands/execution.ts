/** Commands that let the guest run. */
import { type Command, CommandError } from '../command.ts';

/** Marks that the boot debugger has refused a `g`. */
const REFUSED = 'boot debugger refused';

export const EXECUTION: readonly Command[] = [
  {
    names: ['g', 'gh', 'gn', 'gN', 'gc'],
    *run(kd, call) {
      if (kd.inBootDebugger && !kd.pseudo.has(REFUSED)) {
        kd.pseudo.set(REFUSED, 1n);
        throw new CommandError(`    ^ Unable to get program counter '${call.text}'\n`);
      }
      yield { kind: 'resume' };
    },
  },
];
