/**
 * Makes text of a possibly hostile guest harmless for a terminal.
 *
 * Each character that a terminal might obey is replaced by one it only shows, whatever stands around it: an escape
 * sequence loses its ESC and stays readable. So there is nothing to remember between two chunks, a sequence that is
 * split anywhere has the same fate, and nothing is hidden from the person.
 */

/**
 * C0 but tab and newline, DEL, C1 (8-bit CSI, OSC, DCS …), and the Unicode controls that reorder text
 * (a line could read differently from what it says).
 */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

function shown(character: string): string {
  const code = character.charCodeAt(0);
  // A carriage return only ever pairs with a newline in kd's output; alone it would overwrite the line.
  if (code === 0x0d || code === 0x00) return '';
  // U+2400 … are pictures of the control characters: ␛, ␇ …
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** `text` without anything that a terminal obeys, except tab and newline. */
export function neutralise(text: string): string {
  return text.replace(OBEYED, shown);
}

/** JSON without anything that a terminal obeys: escaped, so that it says the same. */
export function neutraliseJson(line: string): string {
  return line.replace(OBEYED, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
