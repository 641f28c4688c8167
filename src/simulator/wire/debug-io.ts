/** Text that the guest prints on the debugger, and questions it asks there (engine.md §3, type 3). */

const PRINT = 0x3230;
const PROMPT = 0x3231;
const HEADER = 16;
const PROCESSOR_LEVEL = 6;
/** The engine takes more, real targets do not send more. */
const MOST_TEXT = 480;
const LONGEST_ANSWER = 512;

function header(api: number, processor: number, length: number): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt32LE(api, 0);
  bytes.writeUInt16LE(PROCESSOR_LEVEL, 4);
  bytes.writeUInt16LE(processor, 6);
  bytes.writeUInt32LE(length, 8);
  return bytes;
}

/** Splits text into pieces that fit a packet, between characters. */
export function printMessages(processor: number, text: string): Buffer[] {
  const bytes = Buffer.from(text, 'utf8');
  const messages: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    let end = Math.min(bytes.length, from + MOST_TEXT);
    // 10xxxxxx: in the middle of a character.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    const piece = bytes.subarray(from, end);
    messages.push(Buffer.concat([header(PRINT, processor, piece.length), piece]));
    from = end;
  }
  return messages;
}

/** A question (DbgPrompt). */
export function promptMessage(processor: number, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const head = header(PROMPT, processor, bytes.length);
  head.writeUInt32LE(LONGEST_ANSWER, 12);
  return Buffer.concat([head, bytes]);
}

/** The debugger's answer to a question; undefined for other messages. */
export function readAnswerText(content: Buffer): string | undefined {
  if (content.length < HEADER || content.readUInt32LE(0) !== PROMPT) return undefined;
  const length = content.readUInt32LE(12);
  return content
    .subarray(HEADER, HEADER + length)
    .toString('utf8')
    .replace(/\0+$/, '');
}
