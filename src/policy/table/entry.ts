/** A row of the table of commands. */
import type { Effect, Level } from '../effects.ts';

/**
 * How the text behind a command's name is read.
 *
 * plain: up to `;`. expression: the same, evaluated. cpp, dx, registers: an expression of that language. text: printed.
 * format: `"…", arguments`. breakpoint, filters, list, each, steps: hold commands in quotes. condition, for, block, do:
 * control flow in braces. branches: `j`. symbols: a path. line: all of the line. nothing: no arguments are expected.
 */
export type Grammar =
  | 'plain'
  | 'expression'
  | 'cpp'
  | 'dx'
  | 'registers'
  | 'text'
  | 'format'
  | 'breakpoint'
  | 'steps'
  | 'filters'
  | 'list'
  | 'each'
  | 'condition'
  | 'for'
  | 'block'
  | 'do'
  | 'branches'
  | 'symbols'
  | 'line'
  | 'nothing';

/** What a command does. */
export interface Consequence {
  readonly effects: readonly Effect[];
  /** Where it differs from what the effects need. */
  readonly level?: Level;
  readonly saferWay?: string;
}

/** What one command does and how it is read. */
export interface Entry extends Consequence {
  readonly grammar?: Grammar;
  /** Arguments for which `effects` holds; with others it is `otherwise`, or unclear. */
  readonly only?: RegExp;
  readonly otherwise?: Consequence;
  /** `=` in its arguments is no assignment. */
  readonly equals?: true;
  /** Quotations in its arguments are text. Where nobody has said so they may be commands. */
  readonly strings?: true;
}

/** A group of names with one entry. */
export type Row = readonly [names: string, entry: Entry];

/** Rows as a map from each name to its entry. */
export function tableOf(rows: readonly Row[]): ReadonlyMap<string, Entry> {
  const table = new Map<string, Entry>();
  for (const [names, entry] of rows) {
    for (const name of names.split(/\s+/)) {
      if (table.has(name)) throw new Error(`${name} is in the table twice`);
      table.set(name, entry);
    }
  }
  return table;
}

export const READS: Entry = { effects: ['reads target'] };
export const HEAVY: Entry = { effects: ['reads target', 'heavy on the link'] };
export const WRITES: Consequence = { effects: ['writes target'] };
export const CONTROLS: Consequence = { effects: ['controls execution'] };
export const PARSING: Consequence = { effects: ['changes parsing'] };
/** Shows without arguments. */
export const BARE = /^$/;
