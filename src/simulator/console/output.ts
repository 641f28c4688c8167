/**
 * kd's stdout: CRLF line ends, the code page's damage, the open log file, and backpressure.
 *
 * Text of one turn of the event loop leaves in one write, unless `--chunk` asks for random pieces.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Codec } from './codec.ts';
import type { LogFile } from './log-file.ts';

export interface OutputOptions {
  readonly codec: Codec;
  /** Source of random numbers in [0,1) for random pieces; undefined writes whole pieces. */
  readonly chunk: (() => number) | undefined;
}

const FLUSH_AT = 1 << 16;

export class Output {
  readonly #stream: Writable;
  readonly #options: OutputOptions;
  #pending: string[] = [];
  #pendingSize = 0;
  #scheduled = false;
  #pieces: Buffer[] = [];
  #trickling = false;
  #blocked = false;
  /** The log that `.logopen` opened. */
  log: LogFile | undefined;
  /** Changes text on its way out, e.g. to put a noise line into it. */
  filter: ((text: string) => string) | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#stream = openStdout();
    this.#stream.on('drain', () => {
      this.#blocked = false;
    });
    // The reader went away: nobody is left to talk to, but the guest goes on until stdin or a signal says so.
    this.#stream.on('error', () => {});
  }

  /** Gets what is printed, as those see it who look on from another debugger. */
  tap: ((text: string) => void) | undefined;

  /** Prints text with `\n` line ends. */
  print(text: string): void {
    if (text === '') return;
    const shown = this.filter ? this.filter(text) : text;
    this.tap?.(shown);
    this.#put(shown);
  }

  /** Prints what only this console shows: its prompt. */
  printOwn(text: string): void {
    this.#put(text);
  }

  #put(shown: string): void {
    this.log?.write(this.#options.codec.logged(shown));
    this.#pending.push(shown);
    this.#pendingSize += shown.length;
    if (this.#pendingSize >= FLUSH_AT) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
  }

  /** Puts a line somewhere into what is printed next, or prints it when nothing comes. */
  inject(line: string): void {
    const timer = setTimeout(() => {
      this.filter = undefined;
      this.print(line);
    }, 20);
    this.filter = (text) => {
      clearTimeout(timer);
      this.filter = undefined;
      const at = Math.floor(text.length / 2);
      return text.slice(0, at) + line + text.slice(at);
    };
  }

  /** Puts text into the log only: command lines, which stdout does not show. */
  logOnly(text: string): void {
    this.log?.write(this.#options.codec.logged(text));
  }

  /** Hands all text to the operating system. */
  flush(): void {
    if (this.#pendingSize === 0) return;
    const text = this.#pending.join('').replaceAll('\n', '\r\n');
    this.#pending = [];
    this.#pendingSize = 0;
    const bytes = this.#options.codec.encode(text);
    if (this.#options.chunk) this.#split(bytes, this.#options.chunk);
    else this.#write(bytes);
  }

  /** True while the reader is slower than the writer. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** Resolves when the reader has caught up. */
  drained(): Promise<void> {
    if (!this.#blocked) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('drain', done);
        this.#stream.off('close', done);
        resolve();
      };
      this.#stream.on('drain', done);
      this.#stream.on('close', done);
    });
  }

  /** Writes everything and closes stdout. */
  async dispose(): Promise<void> {
    this.flush();
    while (this.#trickling) await new Promise((resolve) => setImmediate(resolve));
    this.log?.close();
    await new Promise<void>((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.write('', () => resolve());
    });
  }

  #write(bytes: Buffer): void {
    if (!this.#stream.write(bytes)) this.#blocked = true;
  }

  #split(bytes: Buffer, random: () => number): void {
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + Math.floor(random() * random() * 200);
      this.#pieces.push(bytes.subarray(at, at + size));
      at += size;
    }
    if (!this.#trickling) {
      this.#trickling = true;
      this.#trickle();
    }
  }

  #trickle(): void {
    const piece = this.#pieces.shift();
    if (!piece) {
      this.#trickling = false;
      return;
    }
    this.#write(piece);
    setImmediate(() => this.#trickle());
  }
}

/**
 * A non-blocking stream over stdout where it is a pipe: Node's own writes pipes synchronously on POSIX, so a slow
 * reader would keep Ctrl+C from being seen.
 */
function openStdout(): Writable {
  const kind = fstatSync(1);
  if (process.platform !== 'win32' && (kind.isFIFO() || kind.isSocket()))
    return new Socket({ fd: 1, readable: false, writable: true });
  return process.stdout;
}
