/** Reading a file by byte offsets without ever cutting a UTF-8 character. */
import { fstatSync, readSync } from 'node:fs';
import type { ReadResult } from './protocol.ts';

export type Slice = ReadResult;

/** One answer never holds more. */
export const MAX_READ_BYTES = 1024 * 1024;

export function fileSize(file: number): number {
  return fstatSync(file).size;
}

/** Whole characters from `from` on (negative: from the end), at most `maxBytes` bytes of them, but one at least. */
export function readSlice(file: number, end: number, from: number, maxBytes: number): Slice {
  const start = startOf(from, end);
  if (maxBytes <= 0) return { text: '', from: start, to: start, end };
  const wanted = Math.min(maxBytes, MAX_READ_BYTES);
  // A little more, so that the character at each end is seen whole: each read has to get on.
  const bytes = readBytes(file, start, Math.min(end - start, wanted + 6));
  const first = continuationBytes(bytes, 0);
  const whole = first + wholeCharacters(bytes.subarray(first, first + wanted));
  const last = whole > first ? whole : Math.min(bytes.length, first + characterLength(bytes[first] ?? 0));
  return {
    text: bytes.toString('utf8', first, last).toWellFormed(),
    from: start + first,
    to: start + last,
    end,
  };
}

/** An offset as callers give it, clamped to the file. */
export function startOf(from: number, end: number): number {
  return from < 0 ? Math.max(0, end + from) : Math.min(from, end);
}

export function readBytes(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(file, bytes, filled, length - filled, start + filled);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

/** How many bytes at `at` belong to a character that began before. */
export function continuationBytes(bytes: Buffer, at: number): number {
  let count = 0;
  while (count < 3 && ((bytes[at + count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}

/** Length without an unfinished character at the end. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return characterLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function characterLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
