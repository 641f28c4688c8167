/**
 * Where a command ends, where a quotation ends, where braces match.
 *
 * kd's commands differ in what they take for a quote: some know none, some `"`, some `'`, some `\"`. So a `;` separates
 * here only if it does so for all of them; where they would not agree the line is refused.
 */

/** A line, or a piece of one, that cannot be understood with certainty. */
export class Unclear extends Error {
  readonly part: string;

  constructor(part: string, why: string) {
    super(why);
    this.part = part.trim();
  }
}

/** One way to take quotes: which signs quote, and whether a backslash escapes inside. */
interface Reading {
  readonly signs: string;
  readonly escapes: boolean;
}

const READINGS: readonly Reading[] = [
  { signs: '"', escapes: false },
  { signs: '"', escapes: true },
  { signs: "'", escapes: false },
  { signs: '"\'', escapes: false },
  { signs: '"\'', escapes: true },
  { signs: '`', escapes: false },
];

/** Is a quotation open at the end of `text`? */
function isOpen(text: string, { signs, escapes }: Reading): boolean {
  let open: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (open !== undefined && escapes && character === '\\') index++;
    else if (character === open) open = undefined;
    else if (open === undefined && signs.includes(character) && !isDigitMark(text, index)) open = character;
  }
  return open !== undefined;
}

/** The mark inside `fffff803`78806e40`. */
function isDigitMark(text: string, index: number): boolean {
  return text[index] === '`' && /[0-9a-f]/i.test(text[index - 1] ?? '');
}

/**
 * The index of the `;` that ends the command which begins at `from`, or of the end.
 * @throws Unclear where the `;` is inside quotes for some commands and outside for others
 */
export function endOfCommand(text: string, from: number): number {
  const end = text.indexOf(';', from);
  if (end === -1) return text.length;
  const command = text.slice(from, end);
  if (READINGS.some((reading) => isOpen(command, reading))) {
    throw new Unclear(text.slice(from), 'a quotation holds a ";", or is not closed before it');
  }
  return end;
}

/** A quotation with `\"` inside; its content is as it stands. */
export interface Quoted {
  readonly content: string;
  /** Index behind the closing quote. */
  readonly end: number;
}

/** The quotation that begins at `from`. @throws Unclear */
export function quotedAt(text: string, from: number): Quoted {
  for (let index = from + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') {
      const content = text.slice(from + 1, index);
      // Some would see the end of the quotation here.
      if (/\\\\"/.test(`${content}"`)) {
        throw new Unclear(text.slice(from), 'a backslash before a quote can be read in two ways');
      }
      return { content, end: index + 1 };
    }
  }
  throw new Unclear(text.slice(from), 'a quotation is not closed');
}

/**
 * The commands in a quotation, in each way it can be unescaped; one, as a rule. kd knows the escapes of C: `\x3b` and
 * `\073` become a `;` that separates, and a line break is a blank (real engine).
 * @throws Unclear
 */
export function unescaped(content: string): readonly string[] {
  const unknown = [...content.matchAll(/\\(.)/g)].find(([, sign = '']) => !/["\\ntr]/.test(sign))?.[0];
  if (unknown !== undefined) throw new Unclear(content, `"${unknown}" can become any character`);
  const quotesOnly = content.replace(/\\"/g, '"');
  const all = content.replace(/\\(.)/g, (_, sign: string) => (/[ntr]/.test(sign) ? ' ' : sign));
  return quotesOnly === all ? [all] : [quotesOnly, all];
}

/**
 * The text between the bracket at `from` and the one that matches. kd counts braces inside quotes too, and round
 * brackets only outside of "…" and '…' (real engine): a bracket in a quotation is refused.
 * @throws Unclear
 */
export function bracketed(text: string, from: number): Quoted {
  const open = text[from];
  const close = open === '{' ? '}' : ')';
  const signs = open === '{' ? '"' : '"\'';
  const quotes = new Map([...signs].map((sign) => [sign, false]));
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    const character = text[index] ?? '';
    const inside = quotes.get(character);
    if (inside !== undefined) quotes.set(character, !inside);
    else if (character !== open && character !== close) continue;
    else if ([...quotes.values()].includes(true))
      throw new Unclear(text.slice(from), `a quotation holds ${character}`);
    else if (character === open) depth++;
    else if (--depth === 0) return { content: text.slice(from + 1, index), end: index + 1 };
  }
  throw new Unclear(text.slice(from), `${open} has no matching ${close}`);
}

/** The index of the first character from `from` on that is no blank. */
export function skipBlanks(text: string, from: number): number {
  let index = from;
  while (/\s/.test(text[index] ?? '')) index++;
  return index;
}
