/** `lm` and what belongs to it. */
import { pdbName } from '../../machine/image.ts';
import type { ModuleDefinition } from '../../machine/modules.ts';
import type { Command } from '../command.ts';
import { knownModules } from '../debugger.ts';
import { tick } from '../texts.ts';

function line(module: ModuleDefinition, loaded: boolean): string {
  const range = `${tick(module.base)} ${tick(module.base + BigInt(module.size))}   ${module.name.padEnd(10)} `;
  if (!loaded) return `${range}(deferred)             \n`;
  return `${range}(pdb symbols)          C:\\sym\\${pdbName(module)}\n`;
}

export const MODULE_COMMANDS: readonly Command[] = [
  {
    names: ['lm'],
    dump: true,
    *run(kd) {
      yield 'start             end                 module name\n';
      const sorted = [...knownModules(kd)].sort((a, b) => (a.base < b.base ? -1 : 1));
      for (const module of sorted) yield line(module, module.name === 'nt');
    },
  },
];
