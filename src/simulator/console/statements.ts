/** Cuts an input line into commands: `;` separates outside of quotes and braces (kd-behaviour.md §7.1). */

/** End of the statement that begins at `from`: the index of its `;` or the length of the text. */
export function statementEnd(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{') depth++;
    else if (c === '}') depth = Math.max(0, depth - 1);
    else if (c === ';' && depth === 0) return i;
  }
  return text.length;
}

/** The index behind the brace that closes the one at `open`, or -1. */
export function closingBrace(text: string, open: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = open; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{') depth++;
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
