/** Pieces of command arguments: address ranges, quoted texts. */
import { CommandError } from './command.ts';
import type { Debugger } from './debugger.ts';
import { parseExpression } from './expression.ts';

export interface Range {
  readonly address: bigint;
  /** In units of the command; undefined where the text names none. */
  readonly count: number | undefined;
}

/** Largest count without `L?` (256 MB of bytes). */
const MOST = 0x10000000n;

/** `address`, `address end`, `address L count`, `address L?count`; undefined for an empty text. */
export function parseRange(kd: Debugger, text: string, unit: number): Range | undefined {
  if (text.trim() === '') return undefined;
  const split = /^(.*?)\sL(\??)\s*(.+)$/i.exec(text);
  const start = parseExpression(kd, split?.[1] ?? text, 0);
  if (split) {
    const count = parseExpression(kd, split[3] ?? '', 0).value;
    if (count > MOST && split[2] !== '?') throw new CommandError(`Range error at '${text.trim()}'\n`);
    return { address: start.value, count: Number(count) };
  }
  const rest = text.slice(start.end);
  if (rest.trim() === '') return { address: start.value, count: undefined };
  const end = parseExpression(kd, rest, 0).value;
  if (end < start.value) throw new CommandError(`Range error at '${rest.trim()}'\n`);
  return { address: start.value, count: Math.ceil(Number(end - start.value + 1n) / unit) };
}

/** Splits at blanks outside of quotes; quotes are kept. */
export function words(text: string): string[] {
  return text.match(/"(?:\\.|[^"\\])*"?|\S+/g) ?? [];
}

/** The text of a quoted word, with its escapes resolved. */
export function unquote(word: string): string {
  if (!word.startsWith('"')) return word;
  return word.replace(/^"|"$/g, '').replace(/\\(["\\n])/g, (_, c: string) => (c === 'n' ? '\n' : c));
}

/** A name pattern with `*` and `?`, without regard to case. */
export function wildcard(pattern: string): RegExp {
  const body = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${body}$`, 'i');
}
