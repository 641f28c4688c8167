/** How a target and a host find each other: offer, answer, connection check (engine.md §2). */
import { isIPv4 } from 'node:net';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Length of the numbers that both sides draw for a session. */
export const NONCE_LENGTH = 32;
const OFFER_LENGTH = 344;
const ANSWER_LENGTH = 322;
const OFFER = 1;
const ANSWER = 2;

/** An IPv4-mapped IPv6 address and a port, 18 bytes. */
function writeEndpoint(bytes: Buffer, at: number, { address, port }: Endpoint): void {
  if (isIPv4(address)) {
    bytes.writeUInt16BE(0xffff, at + 10);
    bytes.set(address.split('.').map(Number), at + 12);
  }
  bytes.writeUInt16BE(port, at + 16);
}

/** What a target sends until a host answers, and while there is no traffic. */
export function offerBody(nonce: Uint8Array, target: Endpoint, host: Endpoint): Buffer {
  const body = Buffer.alloc(OFFER_LENGTH);
  body[0] = 1;
  body[1] = OFFER;
  body.set(nonce, 2);
  writeEndpoint(body, 34, target);
  writeEndpoint(body, 52, host);
  return body;
}

export interface Answer {
  /** The target's number, repeated. */
  readonly targetNonce: Buffer;
  /** The host's: another one means another host. */
  readonly hostNonce: Buffer;
}

/** Reads a host's answer to an offer; undefined for other control packets. */
export function readAnswer(body: Uint8Array): Answer | undefined {
  if (body.length < ANSWER_LENGTH || body[1] !== ANSWER) return undefined;
  const bytes = Buffer.from(body);
  return { targetNonce: bytes.subarray(2, 34), hostNonce: bytes.subarray(34, 66) };
}

/** What a host answers: the target's own tests speak with it. */
export function answerBody(targetNonce: Uint8Array, hostNonce: Uint8Array): Buffer {
  const body = Buffer.alloc(ANSWER_LENGTH);
  body[0] = 1;
  body[1] = ANSWER;
  body.set(targetNonce, 2);
  body.set(hostNonce, 34);
  return body;
}

/** The first packet on the data channel: shows the host that the data key is right. */
export function connectionCheck(host: string): Buffer {
  const body = Buffer.alloc(12);
  if (isIPv4(host)) body.set(host.split('.').map(Number).reverse(), 8);
  return body;
}
