import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemory, readNumber, writeNumber } from '../../../src/simulator/machine/memory.ts';

const BASE = 0xffffa801_20000000n;

function mapped(pages: number) {
  const memory = createMemory();
  memory.map(BASE, pages * 4096);
  return memory;
}

test('a changed byte reads back, wherever it lies and however long the write is', () => {
  fc.assert(
    fc.property(fc.nat(3 * 4096 - 1), fc.uint8Array({ minLength: 1, maxLength: 4096 }), (offset, bytes) => {
      const memory = mapped(4);
      const at = BASE + BigInt(offset);
      expect(memory.write(at, bytes)).toBe(bytes.length);
      expect([...memory.read(at, bytes.length)]).toEqual([...bytes]);
    }),
  );
});

test('reading stops at the first byte that is not there', () => {
  const memory = mapped(1);
  expect(memory.read(BASE + 4090n, 16).length).toBe(6);
  expect(memory.read(0n, 16).length).toBe(0);
});

test('writing stops where memory ends and says how far it came', () => {
  const memory = mapped(1);
  expect(memory.write(BASE + 4095n, Uint8Array.of(1, 2))).toBe(1);
  expect(writeNumber(memory, BASE + 4090n, 8, 1n)).toBe(false);
});

test('numbers are little-endian and wrap at 64 bits', () => {
  const memory = mapped(1);
  writeNumber(memory, BASE, 4, 0x11223344n);
  expect([...memory.read(BASE, 4)]).toEqual([0x44, 0x33, 0x22, 0x11]);
  writeNumber(memory, BASE, 8, -1n);
  expect(readNumber(memory, BASE, 8)).toBe(0xffffffff_ffffffffn);
  expect(readNumber(memory, 0n, 8)).toBeUndefined();
});

test('a region fills its pages when they are first touched', () => {
  const memory = createMemory();
  let fills = 0;
  memory.map(BASE, 3 * 4096, (page) => {
    fills++;
    page.fill(7);
  });
  expect([...memory.read(BASE + 4095n, 2)]).toEqual([7, 7]);
  memory.read(BASE, 1);
  expect(fills).toBe(2);
});
