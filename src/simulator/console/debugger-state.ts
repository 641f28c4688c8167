/** The debugger's state at its start. */
import iconv from 'iconv-lite';
import { removePatches } from '../machine/halting.ts';
import type { Machine } from '../machine/machine.ts';
import { hitHardBreak } from '../machine/run.ts';
import type { Execution } from './command.ts';
import { type Debugger, promptOf } from './debugger.ts';
import { openLog } from './log-file.ts';
import type { Servers } from './servers.ts';
import type { SessionSetup } from './session.ts';

export function createDebugger(
  machine: Machine,
  setup: SessionSetup,
  servers: Servers,
  execute: (text: string) => Execution,
): Debugger {
  const { options, scenario, style, output } = setup;
  const kd: Debugger = {
    machine,
    options,
    scenario,
    style,
    servers,
    dump: 0,
    noShell: options.noShell,
    breakpoints: [],
    aliases: new Map(),
    pseudo: new Map(),
    symbolPath: options.symbolPath ?? 'srv*',
    filters: new Map(),
    reloaded: options.target.kind === 'local' || options.target.kind === 'dump',
    heard: new Set(),
    inBootDebugger: scenario.bootDebugger,
    bootRefused: false,
    bootReports: false,
    halted: () => false,
    inDump: () => false,
    processor: 0,
    context: undefined,
    process: undefined,
    radix: 16,
    dml: style.dml,
    perPrompt: '',
    hiddenAtPrompt: new Set(['reg']),
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
    decodeText: (bytes, size) =>
      size === 2
        ? bytes.toString('utf16le')
        : scenario.codePage === 949
          ? iconv.decode(bytes, 'cp949')
          : bytes.toString('latin1'),
    encodeText: (text, size) =>
      size === 2
        ? Buffer.from(text, 'utf16le')
        : scenario.codePage === 949
          ? iconv.encode(text, 'cp949')
          : Buffer.from(text, 'latin1'),
    inject: (line) => output.inject(line),
    execute,
    forgetTarget() {
      kd.breakpoints = [];
      kd.heard.clear();
      kd.reloaded = false;
      kd.context = undefined;
      kd.process = undefined;
      removePatches(machine);
    },
    hitHardBreak: (symbol) => hitHardBreak(machine, symbol),
    prompt: () => `${promptOf(kd)} `,
  };
  return kd;
}
