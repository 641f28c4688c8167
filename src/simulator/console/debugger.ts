/** The debugger's own state, as opposed to the guest's: breakpoints, aliases, paths, registers of the shown context. */
import type { Machine } from '../machine/machine.ts';
import type { ModuleDefinition } from '../machine/modules.ts';
import type { Processor } from '../machine/processor.ts';
import type { Execution } from './command.ts';
import type { KdOptions } from './options.ts';
import type { Scenario } from './scenarios.ts';
import type { Servers } from './servers.ts';
import type { Style } from './style.ts';

export interface Breakpoint {
  readonly id: number;
  enabled: boolean;
  /** Undefined while the expression cannot be resolved. */
  address: bigint | undefined;
  readonly expression: string;
  readonly command: string;
  /** `w 4` of a hardware breakpoint. */
  readonly access?: string;
  readonly passes: number;
  left: number;
  /** Removes itself at its hit: `g address`, `gu`. */
  readonly once: boolean;
  /** Of `g address`: gone with the next stop, wherever it is (real engine). */
  readonly untilStop?: boolean;
}

export interface Debugger {
  readonly machine: Machine;
  readonly options: KdOptions;
  readonly scenario: Scenario;
  readonly style: Style;
  readonly servers: Servers;
  /** Which of several dumps is open. */
  dump: number;
  /** `-noshell` or `.noshell`: for the life of the process. */
  noShell: boolean;
  breakpoints: Breakpoint[];
  readonly aliases: Map<string, string>;
  /** `$t0` … `$t19` and other pseudo-registers. */
  readonly pseudo: Map<string, bigint>;
  symbolPath: string;
  /** Set by `sxe`: event code → module pattern and command. */
  readonly filters: Map<string, { readonly pattern: string; readonly command: string }>;
  /** `.reload` was done: the whole module list is known. */
  reloaded: boolean;
  /** Modules whose load kd has heard of. */
  readonly heard: Set<string>;
  /** Connected to the Windows boot debugger, not to the kernel. */
  inBootDebugger: boolean;
  /** The boot debugger has refused a `g`. */
  bootRefused: boolean;
  /** The guest reports in by itself at its next boot, so that the connection is established without a break. */
  bootReports: boolean;
  /** Processor whose context is shown. */
  processor: number;
  /** Context set by `.thread`, `.cxr`. */
  context: { readonly kind: 'thread' | 'cxr'; readonly address: bigint } | undefined;
  process: bigint | undefined;
  radix: 10 | 16;
  dml: boolean;
  perPrompt: string;
  readonly hiddenAtPrompt: Set<string>;
  lastEvent: string;
  lastEventTime: Date;
  /** Where the next `d` goes on. */
  dumpNext: bigint;
  dumpName: string;
  disassembleNext: bigint | undefined;
  noisySymbols: boolean;
  lines: boolean;
  effectiveMachine: 'x64' | 'x86';
  /** The log file of `.logopen`. */
  openLog(name: string, options: { readonly unicode: boolean; readonly append: boolean }): boolean;
  closeLog(): string | undefined;
  logName(): string | undefined;
  /** Puts a line somewhere into what is printed next. */
  inject(line: string): void;
  /** Characters of bytes, one or two of which make a character. */
  decodeText(bytes: Buffer, size: 1 | 2): string;
  encodeText(text: string, size: 1 | 2): Buffer;
  /** Runs command text, e.g. of a block. */
  execute(text: string): Execution;
  /** The prompt with its trailing blank. */
  prompt(): string;
  /** kd believes the guest to be halted. */
  halted: () => boolean;
  /** The running command is one that ends with `-- User interrupt`. */
  inDump: () => boolean;
  /** The guest went away: breakpoints and symbols are gone. */
  forgetTarget(): void;
  /** A driver of the guest runs into a break instruction of its own. */
  hitHardBreak(symbol: string): void;
  /** The text of the last stop, which `~Ns` prints again. */
  stopText: string;
}

/** Registers of the processor that is shown. */
export function registers(kd: Debugger): Processor {
  const processor = kd.machine.processors[kd.processor];
  if (!processor) throw new Error(`no processor ${kd.processor}`);
  return processor;
}

/** The modules the debugger knows: only nt before `.reload` (engine.md §5). */
export function knownModules(kd: Debugger): readonly ModuleDefinition[] {
  return kd.reloaded
    ? kd.machine.modules
    : kd.machine.modules.filter((m) => m.name === 'nt' || kd.heard.has(m.name));
}

/** The prompt without its trailing blank: `0: kd>`, `kd>`, `lkd>`. */
export function promptOf(kd: Debugger): string {
  const { target } = kd.options;
  if (target.kind === 'local') return 'lkd>';
  // Of several targets the current one stands before the prompt (real engine).
  if (target.kind === 'dump' && target.files.length > 1) return `||${kd.dump}:${onePrompt(kd)}`;
  return onePrompt(kd);
}

function onePrompt(kd: Debugger): string {
  if (kd.inBootDebugger) return 'kd>';
  const width = kd.effectiveMachine === 'x86' ? ':x86' : '';
  if (kd.machine.processors.length === 1) return `${width ? '32.' : ''}kd${width}>`;
  return `${width ? '32.' : ''}${kd.processor}: kd${width}>`;
}
