/**
 * Text files as Windows tools write them: UTF-8 or UTF-16, with or without a byte-order mark (PowerShell's `>` and
 * `Out-File` write UTF-16).
 */

/** Decodes a small text file. Bytes that are no text become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  // The decoder drops the byte-order mark itself.
  return new TextDecoder(encoding).decode(bytes);
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // JSON and YAML begin with an ASCII character, which is half zero in UTF-16.
  if (first !== undefined && first !== 0 && second === 0) return 'utf-16le';
  if (first === 0 && second !== undefined && second !== 0) return 'utf-16be';
  return 'utf-8';
}
