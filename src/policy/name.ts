/** The name at the start of a command, as kd reads it, and its row in the table. */
import { commandEntry } from './table/commands.ts';
import type { Entry } from './table/entry.ts';
import { extensionEntry } from './table/extensions.ts';
import { metaEntry } from './table/meta-commands.ts';

export interface Name {
  /** In lower case, without the number of a breakpoint. */
  readonly text: string;
  readonly length: number;
  readonly entry: Entry | undefined;
}

/** `!!` is `.shell` (real engine). */
const SHELL: Entry = { effects: ['host program'], grammar: 'line' };
const BY_PATH: Entry = { effects: ['host code'] };

/** The name at the start of `text`; kd does not ask for a blank behind it. */
export function nameAt(text: string): Name {
  const lower = text.toLowerCase();
  if (lower.startsWith('!')) return extensionName(lower);
  const meta = /^\.[a-z0-9_]+/.exec(lower)?.[0];
  if (meta !== undefined) return { text: meta, length: meta.length, entry: metaEntry(meta) };
  const script = /^\$(?:\$>a<|\$><|\$<|><|<)/.exec(lower)?.[0];
  if (script !== undefined) return { text: script, length: script.length, entry: commandEntry(script) };
  const name = /^(?:[a-z_]+|\?\??|\|\|?|#)/.exec(lower)?.[0] ?? '';
  const number = /^(?:bp|bu|bm|ba)$/.test(name) ? (/^\d+/.exec(lower.slice(name.length))?.[0] ?? '') : '';
  return { text: name, length: name.length + number.length, entry: commandEntry(name) };
}

function extensionName(lower: string): Name {
  if (/^!\s*!/.test(lower)) return { text: '!!', length: 2, entry: SHELL };
  const match = /^!\s*(?:([a-z0-9_]+)\.)?([a-z0-9_]+)(?=[\s;]|$)/.exec(lower);
  if (match === null) {
    const word = /^!\s*[^\s;]*/.exec(lower)?.[0] ?? '!';
    return { text: word, length: word.length, entry: /[\\/:.]/.test(word) ? BY_PATH : undefined };
  }
  const [text = '', library, name = ''] = match;
  return { text: text.replace(/\s+/g, ''), length: text.length, entry: extensionEntry(library, name) };
}

/** Why a name is refused. */
export function describeUnclear(name: string): string {
  if (name.startsWith('!')) {
    return `${name} is no extension command that is known to be harmless, and kd may load or download code to run it`;
  }
  if (name.startsWith('.')) return `${name} is no command that is known`;
  if (name === '') return 'no command begins like this';
  return `"${name}" is no command that is known, and kd would read it by its first letters`;
}
