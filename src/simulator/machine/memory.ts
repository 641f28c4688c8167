/**
 * The guest's virtual memory: real bytes at real addresses, in pages that are made when they are first touched.
 *
 * Addresses are unsigned 64-bit numbers. What lies in no region is not readable, as on a real machine.
 */
const PAGE = 4096;
const PAGE_BITS = 12n;
const OFFSET_MASK = 0xfffn;

/** Fills a fresh page (all zero) with what lies at its address. */
export type PageFill = (page: Uint8Array, address: bigint) => void;

interface Region {
  readonly first: number;
  readonly end: number;
  readonly fill: PageFill | undefined;
}

export interface Memory {
  /** Forgets everything. */
  clear(): void;
  /** Makes `size` bytes from `address` on readable and writable, in whole pages. */
  map(address: bigint, size: number, fill?: PageFill): void;
  /** The bytes at `address`, up to `length` or to the first byte that cannot be read. */
  read(address: bigint, length: number): Uint8Array;
  /** Writes as far as memory is mapped and returns the number of bytes written. */
  write(address: bigint, bytes: Uint8Array): number;
}

/** An empty address space. */
export function createMemory(): Memory {
  // A page number of a 64-bit address has 52 bits, so it fits a JavaScript number exactly.
  const pages = new Map<number, Uint8Array>();
  const regions: Region[] = [];

  function pageAt(number: number): Uint8Array | undefined {
    const known = pages.get(number);
    if (known) return known;
    const region = regions.find((r) => number >= r.first && number < r.end);
    if (!region) return undefined;
    const page = new Uint8Array(PAGE);
    region.fill?.(page, BigInt(number) << PAGE_BITS);
    pages.set(number, page);
    return page;
  }

  /** Calls `step` for each piece of the range that lies in one page; ends at the first page that is not there. */
  function walk(
    address: bigint,
    length: number,
    step: (page: Uint8Array, from: number, count: number, done: number) => void,
  ): number {
    let number = Number(address >> PAGE_BITS);
    let from = Number(address & OFFSET_MASK);
    let done = 0;
    while (done < length) {
      const page = pageAt(number);
      if (!page) break;
      const count = Math.min(PAGE - from, length - done);
      step(page, from, count, done);
      done += count;
      from = 0;
      number++;
    }
    return done;
  }

  return {
    clear() {
      pages.clear();
      regions.length = 0;
    },
    map(address, size, fill) {
      const first = Number(address >> PAGE_BITS);
      const end = Number((address + BigInt(size) + OFFSET_MASK) >> PAGE_BITS);
      regions.push({ first, end, fill });
    },
    read(address, length) {
      const bytes = new Uint8Array(length);
      const done = walk(address, length, (page, from, count, at) =>
        bytes.set(page.subarray(from, from + count), at),
      );
      return done === length ? bytes : bytes.subarray(0, done);
    },
    write(address, bytes) {
      return walk(address, bytes.length, (page, from, count, at) =>
        page.set(bytes.subarray(at, at + count), from),
      );
    },
  };
}

/** Reads a little-endian number of 1 to 8 bytes, or undefined where memory is not readable. */
export function readNumber(memory: Memory, address: bigint, size: 1 | 2 | 4 | 8): bigint | undefined {
  const bytes = memory.read(address, size);
  if (bytes.length < size) return undefined;
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}

/** Writes a little-endian number. Returns false where memory is not writable. */
export function writeNumber(memory: Memory, address: bigint, size: 1 | 2 | 4 | 8, value: bigint): boolean {
  return memory.write(address, littleEndian(value, size)) === size;
}

/** `value` as `size` little-endian bytes. */
export function littleEndian(value: bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let rest = BigInt.asUintN(64, value);
  for (let i = 0; i < size; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

/** Writes text as UTF-16LE, with a terminating NUL. */
export function writeUnicode(memory: Memory, address: bigint, text: string): void {
  memory.write(address, Buffer.from(`${text}\0`, 'utf16le'));
}

/** Writes text as bytes of one character each, with a terminating NUL. */
export function writeAnsi(memory: Memory, address: bigint, text: string): void {
  memory.write(address, Buffer.from(`${text}\0`, 'latin1'));
}
