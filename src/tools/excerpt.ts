/** Reads a stretch of a transcript as a {@link Block}: all of it, or its two ends. */
import type { ReadResult } from '../host/protocol.ts';
import { type Block, REPLY_BYTES } from './reply.ts';

/** Reads a transcript: of a live session or of one that is over. */
export type Reader = (options: { from?: number; maxBytes: number; grep?: string }) => Promise<ReadResult>;

/** More than a reply can show of one end. */
const END_BYTES = REPLY_BYTES;

export async function excerpt(read: Reader, from: number, to: number, title?: string): Promise<Block> {
  const titled = title === undefined ? {} : { title };
  if (to <= from) return { ...titled, from, to: from, head: '' };
  const size = to - from;
  const head = await read({ from, maxBytes: size <= 2 * END_BYTES ? size : END_BYTES });
  const begin = { ...titled, from: head.from, to: Math.max(to, head.to), head: head.text };
  if (head.to >= to) return begin;
  const tail = await read({
    from: Math.max(head.to, to - END_BYTES),
    maxBytes: Math.min(END_BYTES, to - head.to),
  });
  // A reader that gives less than was asked for leaves no gap: without a tail the head is the block.
  return tail.to > head.to ? { ...begin, tail: tail.text } : begin;
}

/** The call that reads a session from a cursor on. */
export function readCall(sessionId: string): (cursor: number) => string {
  return (cursor) => `read_output(session_id="${sessionId}", from=${cursor})`;
}
