/** All commands, by family. */
import type { Command } from '../command.ts';
import { BREAKPOINTS } from './breakpoints.ts';
import { CODE } from './code.ts';
import { CRASHES } from './crashes.ts';
import { EXECUTION } from './execution.ts';
import { FLOW } from './flow.ts';
import { MEMORY_CHANGE } from './memory-change.ts';
import { MEMORY_SHOW } from './memory-show.ts';
import { MODULE_COMMANDS } from './modules.ts';
import { POOL } from './pool.ts';
import { PROCESSES } from './processes.ts';
import { REGISTERS_AND_STACKS } from './registers.ts';
import { SERVERS } from './servers.ts';
import { SESSION } from './session.ts';
import { SETTINGS } from './settings.ts';
import { SYSTEM } from './system.ts';
import { TARGET } from './target.ts';
import { TEXT } from './text.ts';
import { VALUES } from './values.ts';

export const COMMANDS: readonly Command[] = [
  ...TEXT,
  ...FLOW,
  ...VALUES,
  ...SESSION,
  ...SERVERS,
  ...SETTINGS,
  ...EXECUTION,
  ...BREAKPOINTS,
  ...REGISTERS_AND_STACKS,
  ...MEMORY_SHOW,
  ...MEMORY_CHANGE,
  ...CODE,
  ...MODULE_COMMANDS,
  ...TARGET,
  ...PROCESSES,
  ...POOL,
  ...CRASHES,
  ...SYSTEM,
];
