/** The index of a session's commands as lines of a table for a person. Pure; what it shows is not neutralised yet. */
import type { IndexedCommand } from '../host/command-index.ts';

/** Wide enough for most; what is longer is cut, except the command itself, which comes last. */
const WIDTHS = { seq: 5, when: 19, who: 26, outcome: 12, effects: 34 } as const;

export const TABLE_HEAD = [
  '#'.padEnd(WIDTHS.seq),
  'when'.padEnd(WIDTHS.when),
  'who'.padEnd(WIDTHS.who),
  'outcome'.padEnd(WIDTHS.outcome),
  'class'.padEnd(WIDTHS.effects),
  'command',
].join(' ');

/** A command; below it, indented, what kd had against it or why it was refused. Undefined: no whole line. */
export function tableRow(line: string): string | undefined {
  const command = parsed(line);
  if (command === undefined) return undefined;
  const { seq, at, by, outcome, effects = [], text, error } = command;
  const cells = [
    cell(seq === 0 ? '-' : String(seq), WIDTHS.seq),
    cell(timeOf(at), WIDTHS.when),
    cell(`${by.kind} ${by.name}`, WIDTHS.who),
    cell(outcome === 'refused' ? 'REFUSED' : outcome, WIDTHS.outcome),
    cell(effects.join(', ') || '-', WIDTHS.effects),
    oneLine(text),
  ];
  const row = cells.join(' ');
  return error === undefined ? row : `${row}\n${' '.repeat(WIDTHS.seq + 1)}${oneLine(error)}`;
}

function parsed(line: string): IndexedCommand | undefined {
  try {
    const command: IndexedCommand = JSON.parse(line);
    return typeof command.text === 'string' && typeof command.by === 'object' ? command : undefined;
  } catch {
    // The last one, while it is written.
    return undefined;
  }
}

function cell(text: string, width: number): string {
  const line = oneLine(text);
  return line.length > width ? `${line.slice(0, width - 1)}…` : line.padEnd(width);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ');
}

/** Local time, as everything else that a person reads. */
function timeOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
