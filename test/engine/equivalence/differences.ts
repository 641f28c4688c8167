/**
 * Where the console simulator says something else than the engine, and why that stays so. The list may only get shorter:
 * equivalence.test.ts fails for a difference that is not here, for one that has grown, and for an entry that is too large.
 */

export interface Difference {
  readonly script: string;
  readonly step: string;
  /** Lines that only one of the two prints. */
  readonly lines: number;
  readonly reason: string;
}

const EXTENSIONS =
  'an extension: the engine’s package holds no extension DLLs; the simulator follows transcripts';
const SYMBOLS = 'the simulated kd has symbol files; the engine here has none';
const UNLOADED =
  'the guest on the wire keeps no list of unloaded modules, and the engine counts its dots otherwise';
const INSTALLATION = 'paths and parts of the debugger’s own installation';

export const DIFFERENCES: readonly Difference[] = [
  { script: 'text and evaluation', step: 'version', lines: 13, reason: INSTALLATION },
  { script: 'text and evaluation', step: '.chain', lines: 6, reason: INSTALLATION },
  { script: 'code and symbols', step: 'lmv m nt', lines: 18, reason: SYMBOLS },
  { script: 'code and symbols', step: '.reload', lines: 5, reason: UNLOADED },
  { script: 'code and symbols', step: 'lm (2)', lines: 3, reason: UNLOADED },
  { script: 'code and symbols', step: 'dt nt!_EPROCESS', lines: 8, reason: SYMBOLS },
  { script: 'breakpoints', step: '.reload', lines: 5, reason: UNLOADED },
  { script: 'errors', step: '!process 0 0', lines: 67, reason: EXTENSIONS },
  { script: 'errors', step: '!analyze -v', lines: 89, reason: EXTENSIONS },
  { script: 'errors', step: '!thread', lines: 22, reason: EXTENSIONS },
  { script: 'errors', step: '!pcr', lines: 8, reason: EXTENSIONS },
  {
    script: 'errors',
    step: '.load nosuch',
    lines: 4,
    reason: 'the system’s own words for error 2, and a path',
  },
  { script: 'run and stop', step: '.reload', lines: 5, reason: UNLOADED },
  {
    script: 'run and stop',
    step: '.echo before; g; .echo after → Ctrl+C',
    lines: 2,
    reason: 'when the rest of a line is run, and the location shown, is the console program’s doing',
  },
  { script: 'modules that come and go', step: 'lm', lines: 2, reason: UNLOADED },
  { script: 'a bugcheck', step: '!analyze -v', lines: 99, reason: EXTENSIONS },
  {
    script: 'a bugcheck',
    step: 'k',
    lines: 2,
    reason: 'the engine names no function of a module that it has not been told of by .reload',
  },
];
