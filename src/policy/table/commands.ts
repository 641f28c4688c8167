/** kd's commands of letters and signs. A word that is not here is refused: kd would read it by its first letters. */
import { BARE, CONTROLS, type Entry, HEAVY, PARSING, READS, tableOf, WRITES } from './entry.ts';

const STOP = 'stop_kd lets the guest run and ends the session.';
const ONE_BY_ONE = 'send the commands themselves, one per line.';

const TABLE = tableOf([
  // Memory, symbols, code, registers.
  ['d da db dc dd df dp dq du dw dyb dyd ds dda ddp ddu dds dpa dpp dpu dps dqa dqp dqu dqs', READS],
  ['dg dl dt dv ln u ub up ur ux x', READS],
  ['s #', { ...HEAVY, strings: true }],
  ['uf', HEAVY],
  ['ld', READS],
  ['rdmsr', READS],
  ['c', READS],
  ['r rf rx', { effects: ['reads target'], grammar: 'registers', equals: true }],
  ['rm', { ...READS, only: BARE, otherwise: { effects: ['changes parsing'], level: 'debug' } }],
  ['n', { ...READS, only: BARE, otherwise: { ...PARSING, saferWay: 'write 0n10 or 0x10 in the command.' } }],
  ['?', { effects: ['reads target'], grammar: 'expression', only: /\S/ }],
  ['??', { effects: ['reads target'], grammar: 'cpp', only: /\S/ }],
  ['dx', { effects: ['reads target'], grammar: 'dx', equals: true }],
  ['| ||', { ...READS, only: /^(?:[.#*\d]+s?)?$/i }],
  ['version vertarget', { ...READS, grammar: 'nothing' }],
  ['vercommand', { ...READS, grammar: 'nothing' }],
  ['~', { ...READS, grammar: 'nothing' }],
  // Writing.
  ['e ea eu eza ezu f', { ...WRITES, strings: true }],
  ['eb ed ef ep eq ew fp m', WRITES],
  ['wrmsr ob od ow', WRITES],
  // Reading a port can change the device.
  ['ib id iw', WRITES],
  ['a', { effects: ['unclear'], saferWay: 'write the bytes of the instructions with eb.' }],
  // Execution.
  [
    'g gh gn gc gu p pa pc pct ph pt t ta tb tc tct th tt wt',
    { effects: ['controls execution'], grammar: 'steps', equals: true },
  ],
  ['bp bu bm ba bs bsc', { effects: ['controls execution'], grammar: 'breakpoint', equals: true }],
  ['bl', READS],
  ['bc bd be br', CONTROLS],
  ['sxe sxd sxi sxn', { effects: ['controls execution'], grammar: 'filters' }],
  // `sx- -c "commands" event`.
  ['sx', { effects: ['reads target'], grammar: 'filters', only: BARE, otherwise: CONTROLS }],
  ['sxr', CONTROLS],
  ['q qq qd', { effects: ['ends session'], saferWay: STOP }],
  // Flow.
  ['j', { effects: ['reads target'], grammar: 'branches' }],
  // Whatever follows the brackets makes it repeat without an end (real engine).
  [
    'z',
    {
      effects: ['reads target'],
      grammar: 'expression',
      only: /^\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$/,
    },
  ],
  // Text that becomes commands.
  [
    'as ad al',
    { effects: ['changes parsing'], grammar: 'line', saferWay: 'write the text itself instead of an alias.' },
  ],
  ['ah', CONTROLS],
  ['$< $>< $$< $$>< $$>a<', { effects: ['host file read', 'changes parsing'], saferWay: ONE_BY_ONE }],
  // Source files of the host; the source server runs programs.
  ['ls lsa lsc lsf lsp l', { effects: ['host file read', 'host program'] }],
  ['so ss sqe sqd', PARSING],
]);

/** Families of names: modifiers in any order. */
const FAMILIES: readonly (readonly [RegExp, Entry])[] = [
  [/^k[bcdfklmnprv]*$/, { ...READS, equals: true, only: /^=?[^=]*$/, otherwise: WRITES }],
  [/^lm[acdefiklmnoprstuv]*$/, READS],
];

/** The entry of a command of letters or signs, its name in lower case. */
export function commandEntry(name: string): Entry | undefined {
  return TABLE.get(name) ?? FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

/** How many names the table holds. */
export const COMMAND_COUNT = TABLE.size + FAMILIES.length;
