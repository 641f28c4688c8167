/**
 * The modelled guest: memory, modules, processors, and whether it runs. Knows nothing of how a debugger reaches it.
 *
 * A debugger face reads and writes this state and drives it with `run.ts`; what the guest does by itself arrives
 * at {@link Machine.listener}.
 */
import { imageOf } from './image.ts';
import { mapKernel, writeKernel } from './kernel.ts';
import { LOADER_POOL, writeLoaderList } from './loader-list.ts';
import { createMemory, type Memory, writeAnsi, writeNumber, writeUnicode } from './memory.ts';
import { type ModuleDefinition, modulesAt } from './modules.ts';
import { createProcesses, type GuestProcess, PROCESS_BASE, writeProcesses } from './objects.ts';
import { createProcessor, type Processor } from './processor.ts';
import { addressOf } from './symbols.ts';
import { mapThreads } from './threads.ts';

/** Why the guest stands still. */
export type Stop =
  | { readonly kind: 'break' }
  | { readonly kind: 'breakpoint'; readonly address: bigint }
  | { readonly kind: 'int3'; readonly address: bigint }
  | { readonly kind: 'step' }
  /** Not a running machine but the memory of a crashed one. */
  | { readonly kind: 'dump' }
  /** A hardware breakpoint, by its number in the debug registers; `address` is where the processor stands. */
  | { readonly kind: 'watch'; readonly number: number; readonly address: bigint }
  | { readonly kind: 'load'; readonly module: ModuleDefinition }
  | { readonly kind: 'unload'; readonly module: ModuleDefinition }
  | { readonly kind: 'bugcheck'; readonly code: number; readonly parameters: readonly bigint[] };

/** What the guest does that a debugger hears of. */
export type MachineEvent =
  | { readonly kind: 'stop'; readonly stop: Stop }
  | { readonly kind: 'print'; readonly text: string }
  /** A driver asks the debugger's user (DbgPrompt) and waits. */
  | { readonly kind: 'ask'; readonly text: string }
  | { readonly kind: 'load'; readonly module: ModuleDefinition }
  | { readonly kind: 'unload'; readonly module: ModuleDefinition }
  /** The guest told the debugger that it goes down. */
  | { readonly kind: 'shutdown' }
  /** The guest went down without a word. */
  | { readonly kind: 'reset' }
  /** The guest has booted and runs. */
  | { readonly kind: 'boot' }
  /** A debugger let the halted guest run. */
  | { readonly kind: 'run' };

export interface Bugcheck {
  readonly code: number;
  readonly parameters: readonly bigint[];
}

export interface Machine {
  readonly memory: Memory;
  /** All that this boot could load, at their bases. */
  installed: readonly ModuleDefinition[];
  /** The loaded ones, in load order. */
  readonly modules: ModuleDefinition[];
  readonly processors: readonly Processor[];
  readonly processes: readonly GuestProcess[];
  /** Processor that reported the last stop. */
  current: number;
  readonly breakProcessor: number;
  state: 'off' | 'running' | 'halted';
  stop: Stop | undefined;
  bugcheck: Bugcheck | undefined;
  /** Bytes under the debugger's break instructions, by address. Patched only while the guest runs. */
  readonly patches: Map<bigint, number>;
  /** A debugger that wants to hear of module loads by stopping. */
  stopAtLoad: ((module: ModuleDefinition) => boolean) | undefined;
  /** … and of what is unloaded. */
  stopAtUnload: ((module: ModuleDefinition) => boolean) | undefined;
  /** Break requests that came while it was stopping for another reason: each stops it again after a resume. */
  owedBreaks: number;
  /** Breaks that stopped it. */
  interrupts: number;
  boots: number;
  bootedAt: number;
  listener: ((event: MachineEvent) => void) | undefined;
}

export interface MachineOptions {
  readonly processors: number;
  /** Processor that finds a break request first. */
  readonly breakProcessor: number;
  /** Processes beyond the usual ones, with 20 threads each. */
  readonly extraProcesses: number;
}

const BUILD_LAB = '19041.1.amd64fre.vb_release.191206-1406';
export const STACK_BASE = 0xfffff803_16000000n;
export const STACK_SIZE = 0x5000;
/** A large readable range (nonpaged pool) for long dumps. */
export const POOL_BASE = 0xffffa801_20000000n;
export const POOL_SIZE = 0x1000000;

/** A guest that has booted and runs. */
export function createMachine(options: MachineOptions): Machine {
  const machine: Machine = {
    memory: createMemory(),
    installed: [],
    modules: [],
    processors: Array.from({ length: options.processors }, () => createProcessor()),
    processes: createProcesses(options.processors, options.extraProcesses),
    current: 0,
    breakProcessor: options.breakProcessor,
    state: 'running',
    stop: undefined,
    bugcheck: undefined,
    patches: new Map(),
    stopAtLoad: undefined,
    stopAtUnload: undefined,
    owedBreaks: 0,
    interrupts: 0,
    boots: 1,
    bootedAt: Date.now() - 3_600_000,
    listener: undefined,
  };
  resetMemory(machine);
  return machine;
}

/** Puts a module into the kernel's own list too. */
export function addModule(machine: Machine, module: ModuleDefinition): void {
  machine.modules.push(module);
  listModules(machine);
}

/** Takes a module off the kernel's list; its memory stays. */
export function removeModule(machine: Machine, module: ModuleDefinition): void {
  const index = machine.modules.indexOf(module);
  if (index >= 0) machine.modules.splice(index, 1);
  listModules(machine);
}

function listModules(machine: Machine): void {
  const head = addressOf(machine.installed, 'nt!PsLoadedModuleList') ?? 0n;
  writeLoaderList(machine.memory, head, machine.modules);
}

/** Makes the address space of a boot; its bytes come later. */
function layOut(machine: Machine): void {
  const { memory, processes } = machine;
  memory.clear();
  for (const i of machine.processors.keys()) memory.map(stackOf(i), STACK_SIZE);
  memory.map(POOL_BASE, POOL_SIZE, (page, address) => {
    for (let i = 0; i < page.length; i++) page[i] = (Number((address >> 12n) & 0xffn) * 7 + i * 13) & 0xff;
  });
  for (const module of machine.installed) memory.map(module.base, module.size);
  memory.map(LOADER_POOL, 0x2000);
  memory.map(PROCESS_BASE, processes.length * 0x1000);
  mapThreads(memory, processes, (i) => ({ low: stackOf(i), high: stackOf(i) + BigInt(STACK_SIZE) }));
  mapKernel(memory, machine.processors.length);
}

/** Lowest address of a processor's kernel stack. */
export function stackOf(processor: number): bigint {
  return STACK_BASE + BigInt(processor) * 0x10000n;
}

/** Brings memory and the module list to the state after the boot whose number the machine has. */
export function resetMemory(machine: Machine): void {
  const { memory } = machine;
  machine.patches.clear();
  machine.installed = modulesAt(machine.boots);
  machine.modules.splice(0, machine.modules.length, ...machine.installed.filter((m) => !m.onDemand));
  layOut(machine);
  for (const module of machine.installed) memory.write(module.base, imageOf(module));
  const at = (name: string) => addressOf(machine.installed, name) ?? 0n;
  writeAnsi(memory, at('nt!NtBuildLab'), BUILD_LAB);
  writeNumber(memory, at('nt!NtBuildNumber'), 4, 0xf0004a61n);
  writeAnsi(memory, at('mydriver!g_Greeting'), 'Hello from mydriver');
  writeNumber(memory, at('mydriver!g_Counter'), 4, 1n);
  writeUnicode(memory, at('mydriver!g_Korean'), '\\Device\\김철수 장치');
  listModules(machine);
  writeProcesses(memory, machine.processes, at('nt!PsActiveProcessHead'));
  writeKernel(machine);
}
