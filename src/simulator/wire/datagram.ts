/**
 * One UDP datagram of KDNET: six plain bytes, the payload in AES-256-CBC, and the first half of an HMAC-SHA256 over
 * both, which is the cipher's initial vector too (engine.md §2).
 */
import { createCipheriv, createDecipheriv, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

export type Channel = 'data' | 'control';

export interface Datagram {
  /** Protocol version; the engine speaks 2 to 5 and answers in the version it was spoken to. */
  readonly version: number;
  readonly channel: Channel;
  readonly from: 'host' | 'target';
  /** Counts the packets of a channel in one direction; the answer to a control packet repeats its number. */
  readonly sequence: number;
  readonly body: Uint8Array;
}

export interface DatagramKeys {
  readonly cipher: KeyObject;
  readonly authentication: KeyObject;
}

const MAGIC = 'MDBG';
const PLAIN = 6;
const PAYLOAD_HEADER = 8;
const BLOCK = 16;
const FROM_HOST = 0x80;
const CIPHER = 'aes-256-cbc';

function authenticationOf(plain: Uint8Array, payload: Uint8Array, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(plain).update(payload).digest().subarray(0, BLOCK);
}

/** The bytes of a datagram. */
export function sealDatagram(datagram: Datagram, keys: DatagramKeys): Buffer {
  const padding = -(PAYLOAD_HEADER + datagram.body.length) & (BLOCK - 1);
  const payload = Buffer.alloc(PAYLOAD_HEADER + datagram.body.length + padding);
  payload.writeUIntBE(datagram.sequence, 1, 6);
  payload[7] = (datagram.from === 'host' ? FROM_HOST : 0) | padding;
  payload.set(datagram.body, PAYLOAD_HEADER);
  const plain = Buffer.from([
    ...Buffer.from(MAGIC),
    datagram.version,
    datagram.channel === 'control' ? 1 : 0,
  ]);
  const code = authenticationOf(plain, payload, keys.authentication);
  const cipher = createCipheriv(CIPHER, keys.cipher, code).setAutoPadding(false);
  return Buffer.concat([plain, cipher.update(payload), cipher.final(), code]);
}

/** The channel that a datagram belongs to, which tells its cipher key; undefined for foreign bytes. */
export function channelOf(bytes: Uint8Array): Channel | undefined {
  const length = bytes.length - PLAIN - BLOCK;
  if (length < BLOCK || length % BLOCK !== 0) return undefined;
  if (!MAGIC.split('').every((letter, i) => letter.charCodeAt(0) === bytes[i])) return undefined;
  return bytes[5] === 1 ? 'control' : bytes[5] === 0 ? 'data' : undefined;
}

/** What a datagram says, or undefined when it is foreign or was sealed with another key. */
export function openDatagram(bytes: Uint8Array, keys: DatagramKeys): Datagram | undefined {
  const channel = channelOf(bytes);
  if (!channel) return undefined;
  const code = bytes.subarray(bytes.length - BLOCK);
  const cipher = createDecipheriv(CIPHER, keys.cipher, code).setAutoPadding(false);
  const payload = Buffer.concat([cipher.update(bytes.subarray(PLAIN, bytes.length - BLOCK)), cipher.final()]);
  const expected = authenticationOf(bytes.subarray(0, PLAIN), payload, keys.authentication);
  if (!timingSafeEqual(expected, code)) return undefined;
  const flags = payload[7] ?? 0;
  const end = payload.length - (flags & 0xf);
  if (end < PAYLOAD_HEADER) return undefined;
  return {
    version: bytes[4] ?? 0,
    channel,
    from: flags & FROM_HOST ? 'host' : 'target',
    sequence: payload.readUIntBE(1, 6),
    body: payload.subarray(PAYLOAD_HEADER, end),
  };
}
