/** KD packets, one per datagram (engine.md §3). */

/** What a packet is about. */
export const PACKET = {
  manipulate: 2,
  debugIo: 3,
  acknowledge: 4,
  resend: 5,
  reset: 6,
  stateChange: 7,
} as const;

export type Packet =
  | { readonly kind: 'data'; readonly type: number; readonly id: number; readonly content: Buffer }
  | { readonly kind: 'control'; readonly type: number; readonly id: number }
  /** A break request: a body that begins with the letter b. */
  | { readonly kind: 'break' }
  /** Data whose checksum is wrong. */
  | { readonly kind: 'damaged' };

const HEADER = 16;
const DATA = 0x30303030;
const CONTROL = 0x69696969;
const BREAK_IN = 0x62;

function checksum(content: Uint8Array): number {
  let sum = 0;
  for (const byte of content) sum = (sum + byte) >>> 0;
  return sum;
}

export function encodeData(type: number, id: number, content: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEADER + content.length);
  bytes.writeUInt32LE(DATA, 0);
  bytes.writeUInt16LE(type, 4);
  bytes.writeUInt16LE(content.length, 6);
  bytes.writeUInt32LE(id >>> 0, 8);
  bytes.writeUInt32LE(checksum(content), 12);
  bytes.set(content, HEADER);
  return bytes;
}

export function encodeControl(type: number, id: number): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt32LE(CONTROL, 0);
  bytes.writeUInt16LE(type, 4);
  bytes.writeUInt32LE(id >>> 0, 8);
  return bytes;
}

/** Reads the body of a datagram; undefined for what is no KD packet, such as a connection check. */
export function decodePacket(body: Uint8Array): Packet | undefined {
  if (body[0] === BREAK_IN) return { kind: 'break' };
  if (body.length < HEADER) return undefined;
  const bytes = Buffer.from(body);
  const type = bytes.readUInt16LE(4);
  const id = bytes.readUInt32LE(8);
  switch (bytes.readUInt32LE(0)) {
    case CONTROL:
      return { kind: 'control', type, id };
    case DATA: {
      const length = bytes.readUInt16LE(6);
      const content = bytes.subarray(HEADER, HEADER + length);
      if (content.length < length || checksum(content) !== bytes.readUInt32LE(12)) return { kind: 'damaged' };
      return { kind: 'data', type, id, content };
    }
    default:
      return undefined;
  }
}
