/** Cuts an input line into commands: `;` separates outside of quotes and braces (kd-behaviour.md §7.1). */

/** The characters outside of quotes, each with its index. */
function* unquoted(text: string, from: number): Generator<readonly [index: number, character: string]> {
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    const c = text[i] ?? '';
    if (quoted && c === '\\') i++;
    else if (c === '"') quoted = !quoted;
    else if (!quoted) yield [i, c];
  }
}

/** End of the statement that begins at `from`: the index of its `;` or the length of the text. */
export function statementEnd(text: string, from: number): number {
  let depth = 0;
  for (const [i, c] of unquoted(text, from)) {
    if (c === '{') depth++;
    else if (c === '}') depth = Math.max(0, depth - 1);
    else if (c === ';' && depth === 0) return i;
  }
  return text.length;
}

/** The index behind the brace that closes the one at `open`, or -1. */
export function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (const [i, c] of unquoted(text, open)) {
    if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return -1;
}

/** End of a command with blocks: behind its last brace, or of the text where one is missing. */
export function blockEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const open = text.indexOf('{', at);
    const end = open < 0 ? -1 : closingBrace(text, open);
    if (end < 0) return text.length;
    at = end;
    if (!/^\s*\.(else|elsif)\b/.test(text.slice(at))) return at;
  }
}

/** The word at the start of a command: `.echo`, `!process`, `db`, `~1s`, `?`. */
export function commandWord(text: string): string {
  return (
    /^(?:\.[A-Za-z_]\w*|![A-Za-z_][\w.]*|\$\$?>?<|\$\$>a<|\$\$|\*|~|\|\|?|\?\??|[A-Za-z]+)/.exec(text)?.[0] ??
    text.slice(0, 1)
  );
}
