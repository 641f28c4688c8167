/**
 * From kd's bytes to text. kd writes in the host's ANSI code page (kd-behaviour.md §4.5).
 *
 * Decoders keep a character that was split over two reads and never throw: what is no text becomes U+FFFD.
 */
import iconv from 'iconv-lite';

export interface Decoder {
  decode(bytes: Uint8Array): string;
  /** What an incomplete character at the very end becomes. */
  end(): string;
}

/**
 * @param codePage a Windows code page number; 65001 is UTF-8.
 * @throws RangeError for one that is not known.
 */
export function createDecoder(codePage: number): Decoder {
  if (codePage === 65001) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const name = `cp${codePage}`;
  if (!iconv.encodingExists(name)) throw new RangeError(`Code page ${codePage} is not known.`);
  const decoder = iconv.getDecoder(name);
  return { decode: (bytes) => decoder.write(Buffer.from(bytes)), end: () => decoder.end() ?? '' };
}

/** Code pages on which kd cuts each output line that is not ASCII (kd-behaviour.md §4.5). */
export function truncatesLines(codePage: number): boolean {
  return [932, 936, 949, 950, 65001].includes(codePage);
}
