/** What stands behind a command's name: what it changes, and the commands it holds. */
import type { Effect } from './effects.ts';
import { cppEffects, dxEffects, expressionEffects, registerEffects } from './expression.ts';
import { heldCommands } from './held.ts';
import { quotedAt, skipBlanks, Unclear } from './scan.ts';
import { symbolPathConsequence } from './symbol-path.ts';
import type { Consequence, Entry } from './table/entry.ts';

export interface Arguments {
  readonly consequence: Consequence;
  /** Command lines that it may execute. */
  readonly inner: readonly string[];
}

/** `\\server`, `//server`, also mixed; `http:` is one too. */
const UNC = /[\\/]{2}/;
/** A command that follows without a separator: kd would refuse it, or not. */
const GLUED = /(?:^|[\s)\]])(?:\.[a-z]|![a-z\\.!]|\$\$?[<>])/i;

/** Reads the arguments of a command. @throws Unclear */
export function readArguments(name: string, text: string, entry: Entry, command: string): Arguments {
  const consequence = consequenceOf(name, text, entry, command);
  return { consequence, inner: heldCommands(name, text, entry, command) };
}

function consequenceOf(name: string, text: string, entry: Entry, command: string): Consequence {
  if (entry.only !== undefined && !entry.only.test(text.trim())) {
    if (entry.otherwise === undefined) throw new Unclear(command, 'its arguments are not understood');
    return entry.otherwise;
  }
  const base: Consequence = {
    effects: entry.effects,
    ...(entry.level === undefined ? {} : { level: entry.level }),
    ...(entry.saferWay === undefined ? {} : { saferWay: entry.saferWay }),
  };
  const also = (effects: readonly Effect[]): Consequence =>
    effects.length === 0 ? base : { ...base, effects: [...new Set([...base.effects, ...effects])] };
  switch (entry.grammar ?? 'plain') {
    case 'symbols':
      return symbolPathConsequence(text);
    case 'line':
    case 'text':
      return base;
    case 'format':
      return also(formatEffects(text, command));
    case 'nothing':
      if (/[^\s\w-]/.test(text)) throw new Unclear(command, 'it takes no such arguments');
      return base;
    case 'dx':
      return also(dxEffects(text.trim()));
    case 'cpp':
      return also(cppEffects(text));
    case 'registers':
      checkPlain(text, command, name, entry);
      return also(registerEffects(text));
    case 'steps':
      if (UNC.test(text)) return also(['network']);
      return also(/@@/.test(text) ? cppEffects(text) : []);
    case 'breakpoint':
    case 'filters':
    case 'list':
    case 'each':
      return base;
    case 'condition':
    case 'for':
    case 'block':
    case 'do':
    case 'branches':
      return base;
    case 'plain':
    case 'expression': {
      // What needs more than any level below "unrestricted" needs no closer look.
      if (!entry.effects.some((effect) => effect.startsWith('host') || effect === 'network')) {
        checkPlain(text, command, name, entry);
      }
      if (UNC.test(text)) return also(['network']);
      return also(entry.equals === true && !text.includes('@@') ? [] : expressionEffects(text));
    }
  }
}

function checkPlain(text: string, command: string, name: string, entry: Entry): void {
  if (/[{}]/.test(text)) throw new Unclear(command, 'it holds a brace that belongs to no block');
  if (name.startsWith('!')) return;
  if (GLUED.test(text)) throw new Unclear(command, 'a command seems to follow without a separator');
  // Many commands take commands in quotes (real engine: `t "commands"`), also some whose reference does not say so.
  if (text.includes('"') && entry.strings !== true && entry.grammar !== 'expression') {
    throw new Unclear(command, 'a quotation can hold commands, and here nobody knows whether it does');
  }
}

/** `.printf "format", expressions`; with /D its text can hold commands to click on. */
function formatEffects(text: string, command: string): readonly Effect[] {
  const start = skipBlanks(text, 0);
  if (text[start] !== '"') {
    throw new Unclear(
      command,
      'only .printf "format", arguments is understood (no /D: its text can hold commands)',
    );
  }
  const rest = text.slice(quotedAt(text, start).end);
  if (/["'{}]/.test(rest)) throw new Unclear(command, 'its arguments hold a quote or a brace');
  return expressionEffects(rest);
}
