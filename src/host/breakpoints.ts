/**
 * The breakpoints of a session, as far as the commands tell: who set which one, and what a reboot took.
 *
 * kd gives a new breakpoint the lowest free number and prints nothing (kd-behaviour.md §10). `bl` sets this right again.
 */
import type { Actor } from '../kd/model.ts';
import { segmentsOf } from '../kd/segments.ts';

export interface Breakpoint {
  readonly number: number;
  /** The command that set it. */
  readonly command: string;
  readonly by: Actor;
  readonly enabled: boolean;
}

const LISTED = /^\s*(\d+)\s+([ed])\b(.*)$/;
const LISTED_MANY = /^\s*(\d+):\s/;
const REDEFINED = /breakpoint (\d+) redefined/i;

/** Does this line touch breakpoints, so that its output is worth a look? */
export function touchesBreakpoints(line: string): boolean {
  return segmentsOf(line).some(({ text }) => /^b[pumalcde]/i.test(text));
}

/** The list after `line` was executed and printed `output`. */
export function afterCommand(
  list: readonly Breakpoint[],
  line: string,
  by: Actor,
  output: string,
): readonly Breakpoint[] {
  return segmentsOf(line).reduce((before, { text }) => afterPart(before, text, by, output), list);
}

function afterPart(
  list: readonly Breakpoint[],
  part: string,
  by: Actor,
  output: string,
): readonly Breakpoint[] {
  const set = /^(bp|bu|bm|ba)(\d*)(?=[\s/"(@]|$)/i.exec(part);
  if (set !== null && /\s\S/.test(part)) return afterSetting(list, part, set[2] ?? '', by, output);
  const change = /^b([cde])\s+(.+)$/i.exec(part);
  if (change !== null) {
    const touched = numbers(change[2] ?? '');
    const kind = change[1]?.toLowerCase();
    return list.flatMap((one) => {
      if (!touched(one.number)) return [one];
      return kind === 'c' ? [] : [{ ...one, enabled: kind === 'e' }];
    });
  }
  return /^bl\b/i.test(part) ? afterListing(list, output) : list;
}

function afterSetting(
  list: readonly Breakpoint[],
  command: string,
  wanted: string,
  by: Actor,
  output: string,
): readonly Breakpoint[] {
  const lines = output.split('\n');
  const many = lines.map((line) => LISTED_MANY.exec(line)?.[1]).filter((text) => text !== undefined);
  const redefined = REDEFINED.exec(output)?.[1];
  const taken =
    /^bm/i.test(command) && many.length > 0
      ? many.map(Number)
      : [redefined !== undefined ? Number(redefined) : wanted !== '' ? Number(wanted) : lowestFree(list)];
  const fresh = taken.map((number) => ({ number, command, by, enabled: true }));
  return [...list.filter((one) => !taken.includes(one.number)), ...fresh].sort((a, b) => a.number - b.number);
}

/** `bl` is the truth: what it does not list is gone, what nobody here set is not ours. */
function afterListing(list: readonly Breakpoint[], output: string): readonly Breakpoint[] {
  const listed = new Map<number, boolean>();
  for (const line of output.split('\n')) {
    const match = LISTED.exec(line);
    if (match !== null) listed.set(Number(match[1]), match[2] === 'e');
  }
  return list.flatMap((one) => {
    const enabled = listed.get(one.number);
    return enabled === undefined ? [] : [{ ...one, enabled }];
  });
}

function lowestFree(list: readonly Breakpoint[]): number {
  let number = 0;
  while (list.some((one) => one.number === number)) number++;
  return number;
}

/** `*`, `0 2-4`, `1,3`. */
function numbers(text: string): (number: number) => boolean {
  const ranges = text.split(/[\s,]+/).map((word): readonly [number, number] | undefined => {
    if (word === '*') return [0, Number.MAX_SAFE_INTEGER];
    const range = /^(\d+)(?:-(\d+))?$/.exec(word);
    return range === null ? undefined : [Number(range[1]), Number(range[2] ?? range[1])];
  });
  return (number) => ranges.some((range) => range !== undefined && number >= range[0] && number <= range[1]);
}
