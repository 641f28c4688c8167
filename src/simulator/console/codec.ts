/**
 * The host's ANSI code page: how kd reads its stdin and writes its stdout.
 *
 * On multibyte code pages kd writes each line with non-ASCII text short by (bytes − characters): the tail and the
 * line end are lost (kd-behaviour.md §4.5). On single-byte pages bytes pass through unchanged (engine.md §8).
 */
import iconv from 'iconv-lite';

export interface Codec {
  /** Bytes from stdin to text. */
  decode(bytes: Uint8Array): string;
  /** Text, whole lines or a part of one, to the bytes that reach stdout. */
  encode(text: string): Buffer;
  /** The characters that the engine believes to have, as a Unicode log shows them. */
  logged(text: string): string;
}

const TRUNCATING: Readonly<Record<number, string>> = {
  932: 'cp932',
  936: 'gbk',
  949: 'cp949',
  950: 'cp950',
  65001: 'utf8',
};

const NON_ASCII = /[^\x00-\x7f]/;

/** Bytes of the guest and of stdin pass through; only a Unicode log shows what they were taken for. */
const TRANSPARENT: Codec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  encode: (text) => Buffer.from(text, 'utf8'),
  logged: (text) => (NON_ASCII.test(text) ? iconv.decode(Buffer.from(text, 'utf8'), 'windows-1252') : text),
};

/** The codec of a code page: 932, 936, 949, 950 and 65001 truncate, every other number is taken as 1252. */
export function codecOf(codePage: number): Codec {
  const name = TRUNCATING[codePage];
  if (name === undefined) return TRANSPARENT;
  return {
    decode: (bytes) => iconv.decode(Buffer.from(bytes), name),
    encode(text) {
      if (!NON_ASCII.test(text)) return Buffer.from(text, 'latin1');
      return Buffer.concat(text.split(/(?<=\n)/).map((line) => truncated(line, name)));
    },
    logged: (text) => text,
  };
}

function truncated(line: string, name: string): Buffer {
  const bytes = iconv.encode(line, name);
  return bytes.subarray(0, line.length);
}
