/** Commands that let the guest run. */
import type { Command } from '../command.ts';

export const EXECUTION: readonly Command[] = [
  {
    names: ['g', 'gh', 'gn', 'gN', 'gc'],
    *run() {
      yield { kind: 'resume' };
    },
  },
];
