/** KDNET's keys: the text of `key=w.x.y.z` and what both ends derive from it (engine.md §2). */
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';

/** Key objects, because Node prepares bytes anew for each packet, which takes longer than all the rest. */
export interface SessionKeys {
  /** Enciphers the control channel, whose packets bring a debugger and a target together. */
  readonly control: KeyObject;
  /** Authenticates the packets of both channels. */
  readonly authentication: KeyObject;
}

/** Length of the part of a host's answer that goes into the data key, in bytes. */
const ANSWER_LENGTH = 322;
const LARGEST = 2n ** 64n - 1n;

/** One part of a key, a number in base 36; undefined for other characters or more than 64 bits. */
function partOf(text: string): bigint | undefined {
  if (!/^[0-9a-z]+$/i.test(text)) return undefined;
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value > LARGEST ? undefined : value;
}

/** The keys of a session, or undefined where the text is not four numbers in base 36 of 64 bits each. */
export function keysOf(text: string): SessionKeys | undefined {
  const parts = text.split('.').map(partOf);
  if (parts.length !== 4) return undefined;
  const control = Buffer.alloc(32);
  for (const [i, part] of parts.entries()) {
    if (part === undefined) return undefined;
    control.writeBigUInt64LE(part, i * 8);
  }
  return {
    control: createSecretKey(control),
    authentication: createSecretKey(control.map((byte) => byte ^ 0xff)),
  };
}

/** The key of the data channel, once the host has answered the target's offer. */
export function dataKey(keys: SessionKeys, answer: Uint8Array): KeyObject {
  const hash = createHash('sha256').update(keys.control.export());
  return createSecretKey(hash.update(answer.subarray(0, ANSWER_LENGTH)).digest());
}
