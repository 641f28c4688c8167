/**
 * The whole text of a session on a host where kd's console output is cut.
 *
 * On multibyte code pages kd loses the end of each output line that is not ASCII, its newline included
 * (kd-behaviour.md §4.5). Its Unicode log (`.logopen /u`) is complete, so there the pipe only says *when* (prompts,
 * markers, events are ASCII) and this file says *what*. It lies in kd's private working folder under a relative name,
 * because a path that is not ASCII would be cut too.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PROMPT } from './prompts.ts';

/** A log longer than this is replaced by a new one at the next prompt. */
const LONGEST_LOG = 32 * 1024 * 1024;
const CHUNK = 64 * 1024;

export class UnicodeLog {
  readonly #folder: string;
  readonly #filter: LogFilter;
  #number = 0;
  #fd: number | undefined;
  #at = 0;
  #decoder = new TextDecoder('utf-16le');

  /** @param markers what every marker of the session starts with. */
  constructor(folder: string, markers: string) {
    this.#folder = folder;
    this.#filter = new LogFilter(markers);
  }

  /** The log is read: kd's console output need not be. */
  get active(): boolean {
    return this.#fd !== undefined;
  }

  /** The command that begins the next log. */
  nextCommand(): string {
    this.#number++;
    return `.logopen /u ${this.#name(this.#number)}`;
  }

  /** It is time for {@link nextCommand}: there is no log yet, or it has grown too long. */
  get due(): boolean {
    return this.#number === 0 || this.#at > LONGEST_LOG;
  }

  /** kd has taken {@link nextCommand}. False: there is no such file, so kd's console has to do. */
  begin(): boolean {
    try {
      const fd = openSync(path.join(this.#folder, this.#name(this.#number)), 'r');
      this.dispose();
      this.#fd = fd;
      this.#at = 0;
      this.#decoder = new TextDecoder('utf-16le');
      return true;
    } catch {
      return false;
    }
  }

  /** A command was sent: its line in the log is no output. */
  sent(command: string): void {
    this.#filter.sent(command);
  }

  /** What came since the last call, complete lines only unless `all`; without prompts, markers and command lines. */
  read(all: boolean): string {
    let text = '';
    if (this.#fd !== undefined) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (;;) {
        const length = readSync(this.#fd, chunk, 0, CHUNK, this.#at);
        if (length === 0) break;
        this.#at += length;
        text += this.#filter.push(this.#decoder.decode(chunk.subarray(0, length), { stream: true }));
      }
    }
    return all ? text + this.#filter.rest() : text;
  }

  /** Closes and deletes the log that is read now. */
  dispose(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    // kd still has the last one open on Windows; the working folder goes with the session.
    for (let number = 1; number < this.#number; number++) {
      rmSync(path.join(this.#folder, this.#name(number)), { force: true });
    }
  }

  #name(number: number): string {
    return `kd-${number}.log`;
  }
}

/** Takes out of a log what kd's pipe does not show: command lines behind prompts, and our own `.echo`s. */
export class LogFilter {
  readonly #markers: string;
  #line = '';
  #command: string | undefined;
  #blankEcho = false;

  constructor(markers: string) {
    this.#markers = markers;
  }

  sent(command: string): void {
    this.#command = command.trim();
  }

  push(text: string): string {
    const lines = (this.#line + text.replaceAll('\r', '').replaceAll('\ufeff', '')).split('\n');
    this.#line = lines.pop() ?? '';
    return lines.map((line) => this.#shown(line)).join('');
  }

  /** The unfinished line, if it is more than a prompt. */
  rest(): string {
    const { before } = splitPrompt(this.#line);
    if (this.#blankEcho || before === '' || before.includes(this.#markers)) return '';
    this.#line = this.#line.slice(before.length);
    return before;
  }

  #shown(line: string): string {
    const { before, prompted, after } = splitPrompt(line);
    if (this.#blankEcho && line === '') {
      this.#blankEcho = false;
      return '';
    }
    if (line.includes(this.#markers)) return '';
    if (!prompted) return `${line}\n`;
    if (after === '.echo') {
      this.#blankEcho = true;
      return before === '' ? '' : `${before}\n`;
    }
    if (after === '' || after === this.#command) {
      this.#command = after === '' ? this.#command : undefined;
      return before === '' ? '' : `${before}\n`;
    }
    return `${before}${after}\n`;
  }
}

const LOG_PROMPT = new RegExp(`${PROMPT}?`);

/** A log line is `[unfinished output]prompt[command]`; the blank behind the prompt may be missing (engine.md §5). */
function splitPrompt(line: string): { before: string; prompted: boolean; after: string } {
  const found = line.includes('>') ? LOG_PROMPT.exec(line) : null;
  if (found === null) return { before: line, prompted: false, after: '' };
  return {
    before: line.slice(0, found.index),
    prompted: true,
    after: line.slice(found.index + found[0].length).trim(),
  };
}
