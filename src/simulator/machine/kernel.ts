/** The kernel's own structures, as a debugger that knows nothing yet reads them out of memory (engine.md §4). */
import { writeDebuggerBlock } from './debugger-block.ts';
import { type Memory, writeNumber } from './memory.ts';
import type { ModuleDefinition } from './modules.ts';
import type { GuestProcess } from './objects.ts';
import { mapProcessorBlock, prcbOf, writeProcessorBlock } from './processor-block.ts';
import { mapSharedPage, writeClock, writeSharedPage } from './shared-page.ts';
import { addressOf } from './symbols.ts';
import { threadOn } from './threads.ts';

/** Of a machine, what its structures are made of. */
export interface KernelParts {
  readonly memory: Memory;
  readonly installed: readonly ModuleDefinition[];
  readonly processors: readonly unknown[];
  readonly processes: readonly GuestProcess[];
  readonly bootedAt: number;
}

/** Room for variables that have no name, behind the ones that have: offset from the base of nt. */
const VARIABLES = 0x48000n;

/** Makes the memory of the structures that lie in no module. */
export function mapKernel(memory: Memory, processors: number): void {
  mapSharedPage(memory);
  for (let i = 0; i < processors; i++) mapProcessorBlock(memory, i);
}

/** Writes all structures, as they are after a boot. */
export function writeKernel(machine: KernelParts): void {
  const { memory, processors, processes } = machine;
  const at = (name: string) => addressOf(machine.installed, name) ?? 0n;
  writeDebuggerBlock(memory, {
    block: at('nt!KdDebuggerDataBlock'),
    kernelBase: at('nt'),
    breakpointWithStatus: at('nt!DbgBreakPointWithStatus'),
    loadedModuleList: at('nt!PsLoadedModuleList'),
    activeProcessHead: at('nt!PsActiveProcessHead'),
    bugcheckData: at('nt!KiBugCheckData'),
    buildLab: at('nt!NtBuildLab'),
    processorBlock: at('nt!KiProcessorBlock'),
    variables: at('nt') + VARIABLES,
  });
  for (const processor of processors.keys()) {
    writeNumber(memory, at('nt!KiProcessorBlock') + BigInt(8 * processor), 8, prcbOf(processor));
    writeProcessorBlock(memory, processor, threadOn(processes, processor)?.address ?? 0n);
  }
  writeNumber(memory, at('nt!PsInitialSystemProcess'), 8, processes[0]?.address ?? 0n);
  writeSharedPage(memory);
  writeClock(memory, Date.now(), machine.bootedAt);
}
