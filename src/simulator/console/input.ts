/**
 * kd's stdin: lines wait until the debugger asks for one; control keys at the start of a line are seen at once
 * (kd-behaviour.md §5.2, §5.6).
 */
import type { Readable } from 'node:stream';

/** Ctrl+B: quit abruptly. */
const QUIT = 0x02;
/** Ctrl+F: break. */
const BREAK = 0x06;
const LF = 0x0a;
const CR = 0x0d;
/** As much as a pipe holds; beyond that the writer has to wait, as with a kd that does not read. */
const READ_AHEAD = 1 << 16;
/** Longest command; the rest of a line is a command of its own. */
export const LONGEST_LINE = 4096;

export interface InputEvents {
  /** A line or the end of the input has come. */
  readonly onReadable: () => void;
  /** A control key; returns false to leave the line to be read as any other. */
  readonly onBreak: () => boolean;
  readonly onQuit: () => void;
  /** The writer is gone. */
  readonly onEnd: () => void;
}

export class Input {
  readonly #stream: Readable;
  readonly #events: InputEvents;
  #lines: Buffer[] = [];
  #waiting = 0;
  #partial: Buffer[] = [];
  #atLineStart = true;
  #ended = false;

  constructor(stream: Readable, events: InputEvents) {
    this.#stream = stream;
    this.#events = events;
    stream.on('data', (bytes: Buffer) => this.#take(bytes));
    const end = () => {
      if (this.#ended) return;
      this.#ended = true;
      events.onEnd();
      events.onReadable();
    };
    stream.on('end', end);
    stream.on('error', end);
  }

  /** The next whole line without its line end, or undefined when none has come yet. */
  readLine(): Buffer | undefined {
    const line = this.#lines.shift();
    if (!line) return undefined;
    this.#waiting -= line.length + 1;
    if (this.#waiting < READ_AHEAD && this.#stream.isPaused()) this.#stream.resume();
    return line;
  }

  /** No line is left and none will come. */
  get ended(): boolean {
    return this.#ended && this.#lines.length === 0;
  }

  dispose(): void {
    this.#stream.destroy();
  }

  #take(bytes: Buffer): void {
    let from = 0;
    while (from < bytes.length) {
      if (this.#atLineStart && this.#controlKey(bytes[from] ?? 0)) {
        from++;
        continue;
      }
      const end = bytes.indexOf(LF, from);
      if (end < 0) {
        this.#partial.push(bytes.subarray(from));
        this.#atLineStart = false;
        break;
      }
      this.#partial.push(bytes.subarray(from, end));
      this.#finishLine();
      from = end + 1;
    }
    if (this.#waiting >= READ_AHEAD) this.#stream.pause();
    if (this.#lines.length > 0) this.#events.onReadable();
  }

  #swallowing = false;

  /** True when the byte was a control key; what follows it on its line is swallowed. */
  #controlKey(byte: number): boolean {
    if (byte === QUIT) this.#events.onQuit();
    else if (byte !== BREAK || !this.#events.onBreak()) return false;
    this.#swallowing = true;
    this.#atLineStart = false;
    return true;
  }

  #finishLine(): void {
    let line =
      this.#partial.length === 1 ? (this.#partial[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#partial);
    this.#partial = [];
    this.#atLineStart = true;
    if (this.#swallowing) {
      this.#swallowing = false;
      return;
    }
    if (line.at(-1) === CR) line = line.subarray(0, -1);
    do {
      const part = line.subarray(0, LONGEST_LINE);
      this.#lines.push(part);
      this.#waiting += part.length + 1;
      line = line.subarray(part.length);
    } while (line.length > 0);
  }
}
