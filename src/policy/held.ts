/** Commands that a command holds as text and that kd executes later, or for each of many. */
import { dxEffects } from './expression.ts';
import { quotedAt, skipBlanks, Unclear, unescaped } from './scan.ts';
import type { Entry } from './table/entry.ts';

/** The command lines inside a command's arguments. @throws Unclear */
export function heldCommands(name: string, text: string, entry: Entry, command: string): readonly string[] {
  switch (entry.grammar) {
    case 'breakpoint':
      return ofBreakpoint(name, text, command);
    case 'filters':
      return ofFilter(text, command);
    case 'steps':
      return ofStep(text, command);
    case 'each':
      return ofEach(text, command);
    case 'list':
      return ofList(text, command, 0);
    default:
      return [];
  }
}

interface Pieces {
  readonly plain: string;
  readonly quoted: readonly string[];
}

/** The quotations, and the rest with a `"` for each. */
function piecesOf(text: string): Pieces {
  const quoted: string[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const { content, end } = quotedAt(text, at);
      quoted.push(content);
      plain += ' " ';
      at = end - 1;
    } else plain += text[at];
  }
  return { plain, quoted };
}

const ADDRESS_WORD = /^[\w@$!`:.+*?<>,()[\]&|~-]+$/;
const NUMBER = /^(?:0x|0n)?[0-9a-f`]+$/i;

/** `bp [options] address [passes] ["commands"]`: unquoted commands behind the address are refused. */
function ofBreakpoint(name: string, text: string, command: string): readonly string[] {
  const { plain, quoted } = piecesOf(text);
  let rest = plain;
  let commands = quoted;
  if (/\/w\s*"/i.test(rest)) {
    const [condition = '', ...others] = quoted;
    for (const one of unescaped(condition)) {
      if (dxEffects(one).length > 0)
        throw new Unclear(command, 'the condition of the breakpoint changes something');
    }
    commands = others;
    rest = rest.replace(/\/w\s*"/i, ' ');
  }
  rest = rest
    .replace(/(?:^|\s)\/[pt]\s+\S+/gi, ' ')
    .replace(/(?:^|\s)\/c\s*[0-9a-f]+/gi, ' ')
    .replace(/(?:^|\s)\/(?:1|a|d|f)(?=\s|$)/gi, ' ');
  const words = rest
    .replace(/"\s*$/, '')
    .trim()
    .replace(/\s*([-+*,()])\s*/g, '$1')
    .split(/\s+/)
    .filter((word) => word !== '');
  const most = name === 'ba' ? 3 : name === 'bsc' ? 3 : 2;
  const address = name === 'ba' ? 1 : 0;
  const fine =
    words.length <= most &&
    words.every((word, index) =>
      index > address ? NUMBER.test(word) : ADDRESS_WORD.test(word) || /^`[\w.!\\:-]+:\d+`$/.test(word),
    ) &&
    !/[{};]/.test(rest) &&
    !words.some(
      (word) =>
        /^[.!|~$*]|@@/.test(word) &&
        !/^\$(?:ip|exentry|ra|t1?\d|proc|thread|scope\w*|exr\w*|ptr\w*)\b/i.test(word),
    );
  if (!fine || commands.length > (name === 'bsc' ? 2 : 1)) {
    throw new Unclear(command, 'only options, an address, a count and commands in quotes are understood');
  }
  return commands.flatMap(unescaped);
}

/** `p 5 "commands"`: executed after each step (real engine). */
function ofStep(text: string, command: string): readonly string[] {
  const { plain, quoted } = piecesOf(text);
  const words = plain.replaceAll(' " ', ' ');
  if (/[{};"']/.test(words) || /(?:^|[\s)\]])(?:\.[a-z]|!|\$\$?[<>])/i.test(words)) {
    throw new Unclear(command, 'only addresses, counts, options and commands in quotes are understood');
  }
  return quoted.flatMap(unescaped);
}

/** `sxe -c "commands" -c2 "commands" ld:module`. */
function ofFilter(text: string, command: string): readonly string[] {
  const { plain, quoted } = piecesOf(text);
  const expected = plain
    .replace(/^-(?=\s)/, ' ')
    .replace(/(?:^|\s)-c2?\s*"/gi, ' ')
    .replace(/(?:^|\s)-h\b/gi, ' ');
  if (!/^[\w\s:.*?`]*$/.test(expected)) {
    throw new Unclear(command, 'only -c "commands", -c2 "commands", -h and the event are understood');
  }
  return quoted.flatMap(unescaped);
}

/** `!for_each_module "commands"`, or without quotes. */
function ofEach(text: string, command: string): readonly string[] {
  const start = skipBlanks(text, 0);
  if (text[start] !== '"') {
    if (/["'{}]/.test(text)) throw new Unclear(command, 'put its commands in one quotation');
    return [text];
  }
  const { content, end } = quotedAt(text, start);
  if (text.slice(end).trim() !== '') throw new Unclear(command, 'something follows its commands');
  return unescaped(content);
}

/** `!list -t type.field -x "commands" [-a "arguments"] address`, all of it in quotes perhaps. */
function ofList(text: string, command: string, depth: number): readonly string[] {
  const start = skipBlanks(text, 0);
  if (text[start] === '"' && depth === 0) {
    const { content, end } = quotedAt(text, start);
    if (text.slice(end).trim() !== '') throw new Unclear(command, 'something follows its quotation');
    return unescaped(content).flatMap((one) => ofList(one, command, 1));
  }
  const { plain, quoted } = piecesOf(text);
  const [commands = '', more = '', ...others] = quoted;
  const rest = plain.replace(/-x\s*"/i, ' ').replace(/-a\s*"/i, ' ');
  const inOrder = plain.search(/-a\s*"/i) === -1 || plain.search(/-a\s*"/i) > plain.search(/-x\s*"/i);
  if (
    !/^[\w\s@$!.`+*()<>:-]*$/.test(rest) ||
    /-[xa]\b/i.test(rest) ||
    others.length > 0 ||
    !inOrder ||
    !/^[\w\s@$+*-]*$/.test(more)
  ) {
    throw new Unclear(
      command,
      'only -t, -x "commands", -a "arguments", -e, -m and an address are understood',
    );
  }
  return unescaped(commands).map((one) => `${one} ${more}`);
}
