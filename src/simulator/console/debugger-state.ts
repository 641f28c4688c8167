/** The debugger's state at its start. */
import type { Machine } from '../machine/machine.ts';
import type { Execution } from './command.ts';
import { type Debugger, promptOf } from './debugger.ts';
import { openLog } from './log-file.ts';
import type { KdOptions } from './options.ts';
import type { Output } from './output.ts';
import type { Scenario } from './scenarios.ts';

export function createDebugger(
  machine: Machine,
  options: KdOptions,
  scenario: Scenario,
  output: Output,
  execute: (text: string) => Execution,
): Debugger {
  const kd: Debugger = {
    machine,
    options,
    scenario,
    breakpoints: [],
    aliases: new Map(),
    pseudo: new Map(),
    symbolPath: options.symbolPath ?? 'srv*',
    filters: new Map(),
    reloaded: false,
    processor: 0,
    context: undefined,
    process: undefined,
    radix: 16,
    dml: false,
    perPrompt: '',
    hiddenAtPrompt: new Set(),
    lastEvent: '',
    lastEventTime: new Date(),
    dumpNext: 0n,
    dumpName: 'db',
    disassembleNext: undefined,
    noisySymbols: false,
    lines: false,
    effectiveMachine: 'x64',
    stopText: '',
    openLog(name, how) {
      try {
        output.log?.close();
        output.log = openLog(name, how);
        return true;
      } catch {
        output.log = undefined;
        return false;
      }
    },
    closeLog() {
      const name = output.log?.name;
      output.log?.close();
      output.log = undefined;
      return name;
    },
    logName: () => output.log?.name,
    execute,
    prompt: () => `${promptOf(kd)} `,
  };
  return kd;
}
