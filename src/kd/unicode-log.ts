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
import { LONGEST_PROMPT, PROMPT, stripPrompts } from './prompts.ts';

/** A log longer than this is replaced by a new one at the next prompt. */
const LONGEST_LOG = 32 * 1024 * 1024;
const CHUNK = 64 * 1024;
/** An unfinished line longer than this is passed on in pieces; so much of it is kept, enough for a prompt and a command. */
const LONGEST_LINE = 64 * 1024;
const KEPT = 8 * 1024;

export class UnicodeLog {
  readonly #folder: string;
  readonly #filter: LogFilter;
  #number = 0;
  /** Logs up to this number are deleted. */
  #deleted = 0;
  #fd: number | undefined;
  #at = 0;
  #decoder = new TextDecoder('utf-16le');

  /**
   * @param markers what every marker of the session starts with.
   * @param holdBack how many characters at the end of an unfinished line not to give out yet: part of a secret.
   */
  constructor(folder: string, markers: string, holdBack: (text: string) => number = () => 0) {
    this.#folder = folder;
    this.#filter = new LogFilter(markers, holdBack);
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

  /**
   * What came since the last call, complete lines only unless `all`; without prompts, markers and command lines. In
   * pieces: kd may write its log only when a command is over, and a command may print more than a string can hold.
   */
  *read(all: boolean): Generator<string, void> {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let length = this.#readInto(chunk); length > 0; length = this.#readInto(chunk)) {
      this.#at += length;
      yield this.#filter.push(this.#decoder.decode(chunk.subarray(0, length), { stream: true }));
    }
    if (all) yield this.#filter.rest();
  }

  /** Closes and deletes the log that is read now. */
  dispose(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    // kd still has the last one open on Windows; the working folder goes with the session.
    for (; this.#deleted < this.#number - 1; this.#deleted++) {
      try {
        rmSync(path.join(this.#folder, this.#name(this.#deleted + 1)), { force: true });
      } catch {
        // A virus scanner holds it: it goes with the working folder.
      }
    }
  }

  /** A log that cannot be read any more (its disk is gone) ends here: kd's console has to do. */
  #readInto(chunk: Buffer): number {
    if (this.#fd === undefined) return 0;
    try {
      return readSync(this.#fd, chunk, 0, chunk.length, this.#at);
    } catch {
      this.dispose();
      return 0;
    }
  }

  #name(number: number): string {
    return `kd-${number}.log`;
  }
}

/** Takes out of a log what kd's pipe does not show: command lines behind prompts, and our own `.echo`s. */
export class LogFilter {
  readonly #markers: string;
  readonly #holdBack: (text: string) => number;
  #line = '';
  /** The command whose line is still to come. */
  #command: string | undefined;
  /** Its line came, its end did not: what looks like a prompt now is output. */
  #within = false;
  #blankEcho = false;

  constructor(markers: string, holdBack: (text: string) => number = () => 0) {
    this.#markers = markers;
    this.#holdBack = holdBack;
  }

  sent(command: string): void {
    this.#command = command.trim();
  }

  push(text: string): string {
    const lines = (this.#line + text.replaceAll('\r', '').replaceAll('\ufeff', '')).split('\n');
    this.#line = lines.pop() ?? '';
    const shown = lines.map((line) => this.#shown(line)).join('');
    return this.#line.length > LONGEST_LINE ? shown + this.#shorten() : shown;
  }

  /** The beginning of an endless line. */
  #shorten(): string {
    const cut = this.#line.length - KEPT;
    const end = cut - this.#holdBack(this.#line.slice(0, cut));
    const beginning = this.#line.slice(0, end);
    this.#line = this.#line.slice(end);
    return beginning;
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
    if (line.includes(this.#markers)) {
      this.#within = false;
      return '';
    }
    if (!prompted) return `${line}\n`;
    const unfinished = before === '' ? '' : `${before}\n`;
    if (this.#command !== undefined && stripPrompts(after) === this.#command) {
      this.#command = undefined;
      this.#within = true;
      return unfinished;
    }
    if (after === '.echo') {
      this.#blankEcho = true;
      return unfinished;
    }
    if (this.#within) return `${line}\n`;
    return after === '' ? unfinished : `${before}${after}\n`;
  }
}

const PROMPT_ENDS = new RegExp(`${PROMPT}?$`);

/** A log line is `[unfinished output]prompt[command]`; the blank behind the prompt may be missing (engine.md §5). */
function splitPrompt(line: string): { before: string; prompted: boolean; after: string } {
  for (let at = line.indexOf('>'); at >= 0; at = line.indexOf('>', at + 1)) {
    const end = line[at + 1] === ' ' ? at + 2 : at + 1;
    const start = Math.max(0, end - LONGEST_PROMPT);
    const found = PROMPT_ENDS.exec(line.slice(start, end));
    if (found === null) continue;
    return { before: line.slice(0, start + found.index), prompted: true, after: line.slice(end).trim() };
  }
  return { before: line, prompted: false, after: '' };
}
