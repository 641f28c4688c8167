import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataKey, keysOf } from '../../../../src/simulator/wire/keys.ts';

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

test('a key is four numbers in base 36, each 64 bits little-endian', () => {
  expect(hex(keysOf('1.2.3.4')?.control.export())).toBe(
    '0100000000000000020000000000000003000000000000000400000000000000',
  );
  expect(hex(keysOf('a.z.10.3w5e11264sgsf')?.control.export())).toBe(
    '0a00000000000000' + '2300000000000000' + '2400000000000000' + 'ffffffffffffffff',
  );
});

test('the key that authenticates is the control key with every bit inverted', () => {
  const keys = keysOf('1.2.3.4');
  expect(hex(keys?.authentication.export())).toBe(
    'fefffffffffffffffdfffffffffffffffcfffffffffffffffbffffffffffffff',
  );
});

test('upper case and leading zeros make no difference', () => {
  expect(hex(keysOf('00A.B.c.D')?.control.export())).toBe(hex(keysOf('a.b.C.d')?.control.export()));
});

test('text that is not four numbers of 64 bits is no key', () => {
  for (const text of [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.',
    '1.2.3.$',
    '1.2.3.-4',
    '1.2.3.3w5e11264sgsg',
    '1 .2.3.4',
  ])
    expect(keysOf(text), text).toBeUndefined();
});

test('each 64-bit number comes back from its text', () => {
  fc.assert(
    fc.property(fc.tuple(...Array.from({ length: 4 }, () => fc.bigInt(0n, 2n ** 64n - 1n))), (parts) => {
      const control = keysOf(parts.map((p) => p.toString(36)).join('.'))?.control.export();
      expect(parts.map((_, i) => control?.readBigUInt64LE(i * 8))).toEqual(parts);
    }),
  );
});

test('the data key hashes the control key and the 322 bytes of the answer, nothing behind them', () => {
  const keys = keysOf('1.2.3.4');
  if (!keys) throw new Error('no keys');
  const answer = Buffer.alloc(328, 7);
  const expected = createHash('sha256').update(keys.control.export()).update(Buffer.alloc(322, 7)).digest();
  expect(dataKey(keys, answer).export()).toEqual(expected);
});
