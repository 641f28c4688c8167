/** All commands, by family. */
import type { Command } from '../command.ts';
import { EXECUTION } from './execution.ts';
import { MODULE_COMMANDS } from './modules.ts';
import { REGISTERS_AND_STACKS } from './registers.ts';
import { SESSION } from './session.ts';
import { TEXT } from './text.ts';

export const COMMANDS: readonly Command[] = [
  ...TEXT,
  ...SESSION,
  ...EXECUTION,
  ...REGISTERS_AND_STACKS,
  ...MODULE_COMMANDS,
];
