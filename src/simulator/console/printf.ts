/** The formats of `.printf` (kd-behaviour.md §7.1). */
import { nameOf } from '../machine/symbols.ts';
import { caretError, type Invocation } from './command.ts';
import type { Debugger } from './debugger.ts';
import { parseExpression } from './expression.ts';
import { readText } from './strings.ts';
import { tick } from './texts.ts';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"' };

function argumentValues(kd: Debugger, text: string): bigint[] {
  const values: bigint[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    const parsed = parseExpression(kd, text, at);
    values.push(parsed.value);
    at = text.indexOf(',', parsed.end) + 1;
    if (at === 0) break;
  }
  return values;
}

/** Formats; an inline string for `%s` is refused as the engine does (engine.md §5). */
export function formatText(kd: Debugger, format: string, args: string, call: Invocation): string {
  const text = format.replace(/\\([ntr\\"])/g, (_, c: string) => ESCAPES[c] ?? c);
  if (args.includes('"')) {
    const upTo = `.printf "${text.slice(0, text.indexOf('%') + 2)}`;
    throw caretError(kd, upTo.length, 'Unsupported format type', `${upTo}\n`);
  }
  const values = argumentValues(kd, args);
  let next = 0;
  return text.replace(
    /%(-?0?\d*)(I64|p|h|l|ll)?(ma|mu|msa|msu|[diuxXcpsyoNYB%])/g,
    (_, width: string, _size, kind: string) => {
      if (kind === '%') return '%';
      const value = values[next++];
      if (value === undefined) throw caretError(kd, call.text.length, 'Syntax error', call.text);
      const shown = formatOne(kd, kind, value, _size === 'I64');
      const size = Number(width.replace(/^-/, ''));
      if (width.startsWith('-')) return shown.padEnd(size);
      return shown.padStart(size, width.startsWith('0') ? '0' : ' ');
    },
  );
}

function formatOne(kd: Debugger, kind: string, value: bigint, wide: boolean): string {
  const cut = wide ? value : BigInt.asUintN(32, value);
  switch (kind) {
    case 'd':
    case 'i':
      return (wide ? BigInt.asIntN(64, value) : BigInt.asIntN(32, value)).toString();
    case 'u':
      return cut.toString();
    case 'x':
      return cut.toString(16);
    case 'X':
      return cut.toString(16).toUpperCase();
    case 'o':
      return cut.toString(8);
    case 'c':
      return String.fromCharCode(Number(value & 0xffn));
    case 'N':
    case 'p':
      return tick(value).replace('`', kind === 'p' ? '' : '`');
    case 'ma':
    case 's':
      return readText(kd, value, 'ansi', 1024);
    case 'mu':
      return readText(kd, value, 'unicode', 1024);
    case 'y':
      return `${nameOf(kd.machine.modules, value) ?? ''} (${tick(value)})`;
    default:
      return '';
  }
}
