import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  channelOf,
  type Datagram,
  openDatagram,
  sealDatagram,
} from '../../../../src/simulator/wire/datagram.ts';
import { keysOf } from '../../../../src/simulator/wire/keys.ts';

function keysFor(text: string) {
  const keys = keysOf(text);
  if (!keys) throw new Error(`no key: ${text}`);
  return { cipher: keys.control, authentication: keys.authentication };
}

const keys = keysFor('1.2.3.4');

/** Made from the rules of engine.md §2 with OpenSSL's AES and Python's HMAC. */
const VECTOR =
  '4d4442470401db2d6b3811b3caf77436d6e4b5acd016e1123ae8e59b9aa1b5b5349566ff2031ec2135f339775bcfd96680fe00530848';

const datagrams: fc.Arbitrary<Datagram> = fc.record({
  version: fc.constantFrom(2, 3, 4, 5),
  channel: fc.constantFrom('data', 'control'),
  from: fc.constantFrom('host', 'target'),
  sequence: fc.nat({ max: 2 ** 47 }),
  body: fc.uint8Array({ maxLength: 1400 }),
});

test('a datagram says when opened what was sealed', () => {
  fc.assert(
    fc.property(datagrams, (datagram) => {
      const bytes = sealDatagram(datagram, keys);
      expect(channelOf(bytes)).toBe(datagram.channel);
      const opened = openDatagram(bytes, keys);
      expect(opened && { ...opened, body: new Uint8Array(opened.body) }).toEqual(datagram);
    }),
  );
});

test('its form: six plain bytes, whole cipher blocks, sixteen bytes that authenticate', () => {
  const bytes = sealDatagram(
    { version: 4, channel: 'control', from: 'target', sequence: 1, body: Buffer.alloc(9) },
    keys,
  );
  expect(bytes.subarray(0, 6).toString('latin1')).toBe('MDBG\x04\x01');
  expect(bytes.length).toBe(6 + 32 + 16);
  expect(bytes.toString('hex')).toBe(VECTOR);
});

test('one changed bit anywhere, or another key, and it is not opened', () => {
  fc.assert(
    fc.property(datagrams, fc.nat(), fc.nat({ max: 7 }), (datagram, at, bit) => {
      const bytes = sealDatagram(datagram, keys);
      expect(openDatagram(bytes, keysFor('1.2.3.5'))).toBeUndefined();
      const index = at % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
      expect(openDatagram(bytes, keys)).toBeUndefined();
    }),
  );
});

test('foreign bytes are no datagram', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(openDatagram(bytes, keys)).toBeUndefined();
    }),
  );
});
