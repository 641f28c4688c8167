/** Texts in the guest's memory. */
import type { Debugger } from './debugger.ts';

/** The text at an address up to its NUL or `limit` characters; '' where memory is not readable. */
export function readText(kd: Debugger, address: bigint, kind: 'ansi' | 'unicode', limit: number): string {
  const size = kind === 'unicode' ? 2 : 1;
  const bytes = Buffer.from(kd.machine.memory.read(address, limit * size));
  const text = kd.decodeText(bytes, size);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** What a dump shows for a byte: itself where printable. */
export function printable(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
}
