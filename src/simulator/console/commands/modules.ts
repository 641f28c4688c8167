/** Modules and symbols: `lm`, `.reload`, `.sympath`, `!sym`. */
import { pdbName } from '../../machine/image.ts';
import type { ModuleDefinition } from '../../machine/modules.ts';
import { wildcard } from '../arguments.ts';
import { resolveBreakpoints } from '../breakpoints.ts';
import { type Command, CommandError, type Execution, type Invocation, quietly } from '../command.ts';
import { type Debugger, knownModules } from '../debugger.ts';
import { connectedLine, pathValidation } from '../events.ts';
import { RELOAD_USAGE } from '../reload-usage.ts';
import { ctime, tick } from '../texts.ts';

const hex8 = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');

function line(module: ModuleDefinition, loaded: boolean): string {
  const range = `${tick(module.base)} ${tick(module.base + BigInt(module.size))}   ${module.name.padEnd(10)} `;
  if (!loaded) return `${range}(deferred)             \n`;
  return `${range}(pdb symbols)          C:\\ProgramData\\Dbg\\sym\\${pdbName(module)}\n`;
}

function details(module: ModuleDefinition, kd: Debugger): string {
  const time = ctime(new Date(module.timestamp * 1000));
  return (
    `    Loaded symbol image file: ${module.file}\n    Image path: ${module.path}\n    Image name: ${module.file}\n` +
    (kd.dml ? '    Browse all global symbols  functions  data\n' : '') +
    `    Timestamp:        ${time} (${hex8(module.timestamp)})\n` +
    `    CheckSum:         ${hex8(module.checksum)}\n    ImageSize:        ${hex8(module.size)}\n` +
    `    File version:     ${module.version}\n    Product version:  ${module.version}\n` +
    '    File flags:       0 (Mask 3F)\n    File OS:          40004 NT Win32\n    File type:        3.7 Driver\n' +
    '    Translations:     0409.04b0\n    Information from resource tables:\n' +
    `        CompanyName:      ${module.company}\n        FileDescription:  ${module.description}\n` +
    `        OriginalFilename: ${module.file}\n        FileVersion:      ${module.version}\n`
  );
}

function* listModules(kd: Debugger, call: Invocation): Execution {
  // Options follow `lm` with or without a blank; of what is none, each letter is complained of.
  const foreign = /^\s*([n-uw-z]+)\s*$/.exec(call.rest)?.[1] ?? '';
  for (const letter of foreign) yield `Unknown option '${letter}'\n`;
  const options = call.name.slice(2);
  const match = /^\s*(?:[mM]\s+)?(\S*)/.exec(call.rest);
  const wantsPattern = options.includes('m') || /^\s*m\s/.test(call.rest);
  const pattern = wantsPattern ? (match?.[1] ?? '*') : '*';
  if (kd.dml && wantsPattern) yield 'Browse full module list\n';
  yield 'start             end                 module name\n';
  const sorted = knownModules(kd)
    .filter((m) => wildcard(pattern || '*').test(m.name))
    .sort((a, b) => (a.base < b.base ? -1 : 1));
  for (const module of sorted) {
    const full = options.includes('v');
    yield line(module, full || module.name === 'nt');
    if (full) yield details(module, kd);
  }
  if (!wantsPattern && kd.reloaded)
    yield '\nUnloaded modules:\nfffff803`1c000000 fffff803`1c00a000   dump_storport.sys\n';
}

const notInList = (name: string) => `
"${name}" was not found in the image list.
Debugger will attempt to load "${name}" at given base 00000000\`00000000.

Please provide the full image name, including the extension (i.e. kernel32.dll)
for more reliable results.Base address and size overrides can be given as
.reload <image.ext>=<base>,<size>.
*** WARNING: Unable to verify timestamp for ${name}
*** ERROR: Module load completed but symbols could not be loaded for ${name}
Unable to add module at 00000000\`00000000
`;

const RELOAD_HINT = `

Press ctrl-c (cdb, kd, ntsd) or ctrl-break (windbg) to abort symbol loads that take too long.
Run !sym noisy before .reload to track down problems loading symbols.

`;

function* reload(kd: Debugger, call: Invocation): Execution {
  const unknown = /\/([a-z])\w*/i.exec(call.rest)?.[1];
  if (unknown !== undefined && !'dfilnosuvw'.includes(unknown))
    throw new CommandError(`Reload: Unknown option '${unknown}'\n${RELOAD_USAGE}`);
  const argument = call.rest.replace(/\/\w+/g, '').trim();
  kd.reloaded = true;
  resolveBreakpoints(kd);
  if (argument !== '') {
    const known = kd.machine.modules.some((m) => [m.file, m.name].includes(argument.toLowerCase()));
    if (!known) throw new CommandError(notInList(argument));
    return;
  }
  yield `${connectedLine(kd)}Loading Kernel Symbols\n`;
  for (const [i] of kd.machine.modules.entries()) {
    if (kd.style.reloadHint && i === 1) yield RELOAD_HINT;
    yield '.';
    yield { kind: 'pause', ms: 1 };
  }
  yield '\nLoading User Symbols\n\nLoading unloaded module list\n.\n';
}

export const MODULE_COMMANDS: readonly Command[] = [
  { names: ['lm'], dump: true, run: listModules },
  { names: ['.reload'], target: true, run: reload },
  {
    names: ['.sympath', '.sympath+'],
    extent: 'line',
    *run(kd, call) {
      const added = /^\+\s*(.*)$/.exec(call.rest.trim());
      if (added) kd.symbolPath = `${kd.symbolPath};${added[1]}`;
      else if (call.rest.trim() !== '') kd.symbolPath = call.rest.trim();
      const expanded = kd.symbolPath.replace(
        /^srv\*$/i,
        'cache*;SRV*https://msdl.microsoft.com/download/symbols',
      );
      yield `Symbol search path is: ${kd.symbolPath}\nExpanded Symbol search path is: ${expanded.toLowerCase() === kd.symbolPath.toLowerCase() ? expanded.toLowerCase() : expanded}\n`;
      yield pathValidation(kd);
    },
  },
  {
    names: ['.symfix'],
    run: quietly((kd, call) => {
      const store = call.rest.trim();
      kd.symbolPath = store === '' ? 'srv*' : `srv*${store}*https://msdl.microsoft.com/download/symbols`;
    }),
  },
  {
    names: ['!sym'],
    *run(kd, call) {
      const word = call.rest.trim();
      if (word === 'noisy' || word === 'quiet') kd.noisySymbols = word === 'noisy';
      const mode = kd.noisySymbols ? 'noisy' : 'quiet';
      if (word === '') yield '!sym <noisy/quiet - prompts/prompts off> - ';
      yield `${mode} mode - symbol prompts on\n`;
    },
  },
];
