/**
 * Debugger output made fit for a model: well-formed, without control characters, cut to a size.
 *
 * Sizes are counted as the text goes over the wire, as the inside of a JSON string: a line end or a quotation mark
 * costs two bytes. That is never less than its UTF-8 size, so a budget holds for clients that count either.
 */

/**
 * Controls (C0 but tab and line feed, DEL, C1), bidirectional overrides, byte-order marks and the invisible tag
 * characters that can carry hidden instructions.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text as it may be shown: line ends are `\n`, {@link UNSAFE} characters are gone, lone surrogates are U+FFFD. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(UNSAFE, '');
}

/** {@link plainText} on one line, at most `limit` characters. For names, prompts and event texts inside a sentence. */
export function oneLine(text: string, limit = 160): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}

/** Bytes that `text` takes inside a JSON string, in UTF-8. */
export function wireBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text), 'utf8') - 2;
}

/** A part of a raw text that fits. */
export interface Fit {
  /** Ready to be shown. */
  readonly text: string;
  /** UTF-8 bytes of the raw text that it stands for: advances a cursor. */
  readonly rawBytes: number;
  readonly complete: boolean;
}

/** The longest beginning of `raw` whose {@link plainText} takes at most `budget` {@link wireBytes}. Prefers a line end. */
export function fitHead(raw: string, budget: number): Fit {
  if (raw.length * 6 <= budget || wireBytes(plainText(raw)) <= budget) return whole(raw);
  let end = 0;
  let lineEnd = 0;
  let cost = 0;
  for (const char of raw) {
    cost += charCost(char);
    if (cost > budget) break;
    end += char.length;
    if (char === '\n') lineEnd = end;
  }
  if (raw[end - 1] === '\r' && raw[end] === '\n') end -= 1;
  const part = raw.slice(0, lineEnd > end * 0.7 ? lineEnd : end);
  return { text: plainText(part), rawBytes: Buffer.byteLength(part, 'utf8'), complete: false };
}

/** The longest end of `raw` that fits, see {@link fitHead}. */
export function fitTail(raw: string, budget: number): Fit {
  if (raw.length * 6 <= budget || wireBytes(plainText(raw)) <= budget) return whole(raw);
  const chars = [...raw.slice(-budget)];
  let start = raw.length;
  let lineStart = raw.length;
  let cost = 0;
  for (let index = chars.length - 1; index >= 0; index -= 1) {
    const char = chars[index] ?? '';
    cost += charCost(char);
    if (cost > budget) break;
    if (char === '\n') lineStart = start;
    start -= char.length;
  }
  const part = raw.slice(raw.length - lineStart > (raw.length - start) * 0.7 ? lineStart : start);
  return { text: plainText(part), rawBytes: Buffer.byteLength(part, 'utf8'), complete: false };
}

function whole(raw: string): Fit {
  return { text: plainText(raw), rawBytes: Buffer.byteLength(raw, 'utf8'), complete: true };
}

/** Upper bound of what one character of raw text adds. */
function charCost(char: string): number {
  if (char >= ' ' && char <= '~') return char === '"' || char === '\\' ? 2 : 1;
  return wireBytes(plainText(char));
}
