/** A debugger's request and its reply: the fixed 56 bytes and what follows them (engine.md §3, manipulate). */

export interface Request {
  readonly api: number;
  readonly processor: number;
  /** 40 bytes whose layout the request decides. The reply repeats them with the results filled in. */
  readonly parameters: Buffer;
  /** What follows the fixed part: the bytes to write. */
  readonly extra: Buffer;
}

export interface Reply {
  readonly ok: boolean;
  /** The bytes that were read. */
  readonly extra?: Uint8Array;
}

export const DONE: Reply = { ok: true };
export const FAILED: Reply = { ok: false };

const FIXED = 56;
const PARAMETERS = 16;
const STATUS_UNSUCCESSFUL = 0xc0000001;
const PROCESSOR_LEVEL = 6;

/** Reads a request; undefined for one that is too short. */
export function decodeRequest(content: Uint8Array): Request | undefined {
  if (content.length < FIXED) return undefined;
  const bytes = Buffer.from(content);
  return {
    api: bytes.readUInt32LE(0),
    processor: bytes.readUInt16LE(6),
    parameters: bytes.subarray(PARAMETERS, FIXED),
    extra: bytes.subarray(FIXED),
  };
}

export function encodeReply(request: Request, reply: Reply): Buffer {
  const fixed = Buffer.alloc(FIXED);
  fixed.writeUInt32LE(request.api, 0);
  fixed.writeUInt16LE(PROCESSOR_LEVEL, 4);
  fixed.writeUInt16LE(request.processor, 6);
  fixed.writeUInt32LE(reply.ok ? 0 : STATUS_UNSUCCESSFUL, 8);
  fixed.set(request.parameters, PARAMETERS);
  return reply.extra ? Buffer.concat([fixed, reply.extra]) : fixed;
}
