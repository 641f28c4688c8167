import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePacket, encodeControl, encodeData } from '../../../../src/simulator/wire/packet.ts';

const ids = fc.integer({ min: 0, max: 0xffffffff });
const types = fc.integer({ min: 0, max: 0xffff });

test('a data packet comes back whole', () => {
  fc.assert(
    fc.property(types, ids, fc.uint8Array({ maxLength: 2000 }), (type, id, content) => {
      const packet = decodePacket(encodeData(type, id, content));
      expect(packet).toEqual({ kind: 'data', type, id, content: Buffer.from(content) });
    }),
  );
});

test('a control packet comes back whole', () => {
  fc.assert(
    fc.property(types, ids, (type, id) => {
      expect(decodePacket(encodeControl(type, id))).toEqual({ kind: 'control', type, id });
    }),
  );
});

test('the bytes are those of the protocol', () => {
  expect(encodeData(2, 0x80000002, Uint8Array.of(0xff, 0x01)).toString('hex')).toBe(
    '30303030' + '0200' + '0200' + '02000080' + '00010000' + 'ff01',
  );
  expect(encodeControl(4, 6).toString('hex')).toBe(`69696969${'0400'}${'0000'}${'06000000'}${'00000000'}`);
});

test('a changed or missing byte of the content is noticed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (content, at) => {
      const bytes = encodeData(2, 0, content);
      expect(decodePacket(bytes.subarray(0, -1))?.kind).toBe('damaged');
      const index = 16 + (at % content.length);
      bytes[index] = ((bytes[index] ?? 0) + 1) & 0xff;
      expect(decodePacket(bytes)?.kind).toBe('damaged');
    }),
  );
});

test('a body that begins with b is a break request; what else is short or foreign is nothing', () => {
  expect(decodePacket(Buffer.from('b'))).toEqual({ kind: 'break' });
  expect(decodePacket(Buffer.alloc(12))).toBeUndefined();
  expect(decodePacket(Buffer.alloc(64))).toBeUndefined();
});
