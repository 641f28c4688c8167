/**
 * A line of kd as the commands it may execute, also those inside quotes and braces, each with what it does.
 *
 * This does not have to know kd's grammar, only to never see less than kd does: what can be read in two ways, or
 * could become something else before kd reads it, is refused (`unclear`).
 */
import { readArguments } from './arguments.ts';
import { describeUnclear, nameAt } from './name.ts';
import type { Part } from './part.ts';
import { bracketed, endOfCommand, skipBlanks, Unclear } from './scan.ts';
import type { Entry } from './table/entry.ts';

/** Commands inside commands, at most so deep. */
const DEEPEST = 8;

/** kd is said to take 4,096 characters; where exactly it cuts, what is cut off being a command, nobody here can check. */
const LONGEST_CERTAIN = 4000;

/** Text that becomes other text before kd splits the line (kd-behaviour.md §11.2). */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\$\{/, '"${" is replaced by the text of an alias before the line is read'],
  [/\$\.?u\d/i, '"$u0" to "$u9" are replaced by their text before the line is read'],
  [/\$CurrentDump/i, 'the name of the dump is put in before the line is read'],
  [
    /@#(?!(?:Base|End|Size|ModuleIndex|TimeDateStamp|Checksum|Flags|Process|Thread|FrameNumber|FunctionAddress)\b)/i,
    '"@#…" is replaced by text of the target before the line is read',
  ],
];

/** The commands of a line. @throws Unclear for what cannot be understood with certainty */
export function partsOf(line: string): readonly Part[] {
  if (line.length > LONGEST_CERTAIN) {
    throw new Unclear(line.slice(0, 80), `kd may cut it: write at most ${LONGEST_CERTAIN} characters`);
  }
  for (const [pattern, why] of REPLACED) {
    if (pattern.test(line)) throw new Unclear(line, why);
  }
  return commandsIn(line, 0);
}

function commandsIn(text: string, depth: number): readonly Part[] {
  if (depth > DEEPEST) throw new Unclear(text, 'commands are nested too deep');
  const parts: Part[] = [];
  let at = 0;
  while (true) {
    while (/[\s;]/.test(text[at] ?? '')) at++;
    if (at >= text.length) return parts;
    const step = commandAt(text, at, depth);
    parts.push(...step.parts);
    at = step.end;
  }
}

interface Step {
  readonly parts: readonly Part[];
  readonly end: number;
}

function commandAt(text: string, from: number, depth: number): Step {
  const rest = text.slice(from);
  if (rest.startsWith('*')) return comment(text, depth);
  if (/^\$\$(?![<>])/.test(rest)) return { parts: [], end: endOfCommand(text, from) };
  if (rest.startsWith('~')) return processor(text, from, depth);
  const name = nameAt(rest);
  if (name.entry === undefined) throw new Unclear(rest.slice(0, 80), describeUnclear(name.text));
  const start = from + name.length;
  const { entry } = name;
  switch (entry.grammar ?? 'plain') {
    case 'condition':
    case 'for':
    case 'block':
    case 'do':
      return control(text, from, start, entry, depth);
    case 'branches':
      return branches(text, from, start, depth);
    case 'line':
    case 'symbols':
      return ended(text, from, start, text.length, name.text, entry, depth);
    case 'text':
      return ended(text, from, start, endOfText(text, start), name.text, entry, depth);
    case 'breakpoint':
    case 'filters':
    case 'steps':
    case 'format':
    case 'list':
    case 'each':
      return ended(text, from, start, endBehindQuotes(text, start), name.text, entry, depth);
    case 'plain':
    case 'expression':
    case 'cpp':
    case 'dx':
    case 'registers':
    case 'nothing':
      return ended(text, from, start, start + endOfCommand(text.slice(start), 0), name.text, entry, depth);
  }
}

function ended(
  text: string,
  from: number,
  start: number,
  end: number,
  name: string,
  entry: Entry,
  depth: number,
): Step {
  const command = text.slice(from, end).trim();
  const { consequence, inner } = readArguments(name, text.slice(start, end), entry, command);
  const parts = inner.flatMap((commands) => commandsIn(commands, depth + 1));
  return { parts: [{ text: command, ...consequence }, ...parts], end };
}

/** At the top a comment takes the rest of the line; inside braces kd ends it at the brace (real engine). */
function comment(text: string, depth: number): Step {
  if (depth > 0) throw new Unclear(text, 'a comment (*) stands inside a command');
  return { parts: [], end: text.length };
}

/** A text that begins with a quote ends at the next one. */
function endOfText(text: string, from: number): number {
  const quotation = /^\s*"[^"]*"\s*(?=;|$)/.exec(text.slice(from))?.[0];
  return quotation === undefined ? from + endOfCommand(text.slice(from), 0) : from + quotation.length;
}

/** The `;` behind quotations whose inner `;` is known to be text. */
function endBehindQuotes(text: string, from: number): number {
  let at = from;
  let plain = '';
  while (at < text.length && text[at] !== ';') {
    const next = text[at] === '"' ? quotationEnd(text, at) : at + 1;
    plain += text[at] === '"' ? ' ' : text[at];
    at = next;
  }
  // What other signs quote must end before it.
  endOfCommand(`${plain};`, 0);
  if (plain.includes("'")) throw new Unclear(text.slice(from), "a ' stands outside the quotation");
  return at;
}

function quotationEnd(text: string, from: number): number {
  for (let index = from + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index + 1;
  }
  throw new Unclear(text.slice(from), 'a quotation is not closed');
}

/** `~0s`, `~1 r`, `~*k`, `~0 e commands`. */
function processor(text: string, from: number, depth: number): Step {
  const rest = text.slice(from);
  const prefix = /^~\s*(?:\d+|[.#*]|\[[\w@$+*-]*\])?\s*/.exec(rest)?.[0] ?? '~';
  const command = rest.slice(prefix.length);
  const shows = { text: rest.slice(0, prefix.length).trim(), effects: ['reads target'] } as const;
  if (/^(s\s*)?(;|$)/i.test(command)) {
    return { parts: [shows], end: from + endOfCommand(rest, 0) };
  }
  if (/^e(?=[\s.!])/i.test(command)) {
    return { parts: [shows, ...commandsIn(command.slice(1), depth + 1)], end: text.length };
  }
  if (/^(k[a-z]*|r|[gpt][a-z]?)(?![a-z])/i.test(command)) {
    return commandAt(text, from + prefix.length, depth);
  }
  throw new Unclear(rest.slice(0, 80), 'what stands behind "~" is not known');
}

/** `.if (…) {…} .else {…}`, `.for (…; …; …) {…}`, `.while`, `.do {…} (…)`, `.block {…}`, `.catch {…}`. */
function control(text: string, from: number, start: number, entry: Entry, depth: number): Step {
  const parts: Part[] = [];
  let at = skipBlanks(text, start);
  const inBrackets = (bracket: '(' | '{'): string => {
    if (text[at] !== bracket) throw new Unclear(text.slice(from), `${bracket} is expected`);
    const { content, end } = bracketed(text, at);
    at = skipBlanks(text, end);
    return content;
  };
  const condition = (content: string): void => {
    if (/[;{}]/.test(content)) throw new Unclear(content, 'a condition holds ; or braces');
    parts.push({
      text: text.slice(from, at).trim(),
      ...readArguments('?', content, { effects: entry.effects, grammar: 'expression' }, content).consequence,
    });
  };
  if (entry.grammar === 'condition') condition(inBrackets('('));
  if (entry.grammar === 'for') {
    const header = inBrackets('(');
    const pieces = header.split(';');
    const [first = '', middle = '', last = ''] = pieces;
    // kd splits here inside quotes too (real engine).
    if (/["'`{}]/.test(header) || pieces.length !== 3)
      throw new Unclear(header, 'the head of .for is not plain');
    parts.push(...commandsIn(first, depth + 1));
    condition(middle);
    parts.push(...commandsIn(last, depth + 1));
  }
  const body = inBrackets('{');
  parts.push({ text: text.slice(from, start), effects: entry.effects }, ...commandsIn(body, depth + 1));
  if (entry.grammar === 'do') condition(inBrackets('('));
  if (!/^(;|$|\.else\b|\.elsif\b)/i.test(text.slice(at))) {
    throw new Unclear(text.slice(at), 'something follows a closing brace');
  }
  return { parts, end: at };
}

const OPERAND = String.raw`(?:(?:0x|0n)?[0-9a-f\x60]+|@\$?\w+|\$\w+|[a-z_]\w*(?:!\w+)?)`;
/** Without brackets: what kd cannot take for an expression and the command behind it (real engine: `j 1 eb …`). */
const PLAIN_CONDITION = new RegExp(
  String.raw`^${OPERAND}(?:\s*(?:[=!]=|[<>]=?|[-+*&|^])\s*${OPERAND})*$`,
  'i',
);

/** `j expression 'commands' ; 'commands'`: what follows is not executed, and not accepted. */
function branches(text: string, from: number, start: number, depth: number): Step {
  const match = /^([^'";{}]*)'([^'"]*)'\s*;\s*'([^'"]*)'\s*$/.exec(text.slice(start));
  if (match === null)
    throw new Unclear(text.slice(from), "only j expression 'commands' ; 'commands' is understood");
  const [, expression = '', yes = '', no = ''] = match;
  if (!isOneExpression(expression.trim())) {
    throw new Unclear(text.slice(from), 'put the expression of j in brackets: j (expression) …');
  }
  const { consequence } = readArguments(
    '?',
    expression,
    { effects: ['reads target'], grammar: 'expression' },
    expression,
  );
  return {
    parts: [
      { text: text.slice(from, start) + expression, ...consequence },
      ...commandsIn(yes, depth + 1),
      ...commandsIn(no, depth + 1),
    ],
    end: text.length,
  };
}

function isOneExpression(text: string): boolean {
  if (!text.startsWith('(')) return PLAIN_CONDITION.test(text);
  return bracketed(text, 0).end === text.length;
}
