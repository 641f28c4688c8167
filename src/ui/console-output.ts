/**
 * The upper part of a console: complete lines on their way to the screen and the open line below them, which becomes
 * the prefix of what is edited. Gathered for one frame and written in slices, so that a flood neither redraws the edited
 * line per fragment nor blocks the window.
 */
import { neutralise } from '../client/neutralise.ts';
import type { OutputRole } from '../host/protocol.ts';
import { colourOf, SGR } from './line-colour.ts';
import { OutputQueue } from './output-queue.ts';

/** An output line without an end is shown as the prompt's prefix up to this length, then broken. */
const LONGEST_OPEN_LINE = 2000;
/** Output is gathered this long before it is drawn, ms. */
const FRAME = 15;
/**
 * Between two slices of a flood, ms: about 2 MB/s. A terminal that gets more piles it up, and a typed key shows only behind
 * the pile (`npm run bench -- --terminal`).
 */
const PACE = 8;

export class ConsoleOutput {
  /** Complete, styled lines that are not on the screen yet. */
  readonly #queue: OutputQueue;
  readonly #print: (text: string, openLine: string) => void;
  /** The last line of the transcript, which has no end yet: kd's prompt, or a line in the making. */
  #openLine = '';
  #frame: NodeJS.Timeout | undefined;
  #burst: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(print: (text: string, openLine: string) => void, skipped: (characters: number) => string) {
    this.#print = print;
    this.#queue = new OutputQueue(skipped);
  }

  /** A piece of the transcript. */
  add(text: string, role: OutputRole): void {
    switch (role.kind) {
      case 'kd':
        this.#append(neutralise(text), '');
        return;
      case 'prompt':
        this.#append(neutralise(text), SGR.bold);
        return;
      case 'remark':
        this.#append(neutralise(text), SGR.remark);
        return;
      case 'command': {
        const line = neutralise(text.replace(/\r?\n$/, ''));
        // People's commands look typed; others are dimmed, with the name of who sent them.
        this.#append(
          role.by.kind === 'person'
            ? `${line}\n`
            : `${SGR.dim}${line}${SGR.reset}  ${SGR.dim}\u25c2 ${neutralise(role.by.name)}${SGR.reset}\n`,
          '',
        );
        return;
      }
    }
  }

  /** A line of the console's own, never part of the transcript. */
  remark(text: string): void {
    this.#queue.add(`${SGR.remark}${neutralise(text)}${SGR.reset}\r\n`);
    this.schedule();
  }

  /** What stood before the edited line is on the screen for good. */
  closeLine(): void {
    this.#openLine = '';
  }

  /** Adds text behind what there is; `style` holds for each of its lines. */
  #append(text: string, style: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const dress = (line: string) => (style === '' || line === '' ? line : `${style}${line}${SGR.reset}`);
    // A flood comes through here: all of its lines are one string.
    let complete = '';
    for (const line of lines) {
      const whole = this.#openLine + dress(line);
      const colour = style === '' ? colourOf(whole) : undefined;
      complete += colour === undefined ? whole : colour + whole + SGR.reset;
      complete += '\r\n';
      this.#openLine = '';
    }
    this.#queue.add(complete);
    this.#openLine += dress(last);
    if (this.#openLine.length > LONGEST_OPEN_LINE) {
      this.#queue.add(`${this.#openLine}\r\n`);
      this.#openLine = '';
    }
    this.schedule();
  }

  /** Draws soon, even if nothing was added. */
  schedule(): void {
    if (this.#disposed || this.#burst !== undefined) return;
    this.#frame ??= setTimeout(() => this.#flush(), FRAME);
  }

  /** A key comes: what waits for its frame is drawn first. */
  settle(): void {
    if (this.#frame !== undefined) this.#flush();
  }

  /** Writes one slice; the others follow without holding up keys or the window. */
  #flush(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#burst = undefined;
    if (this.#disposed) return;
    this.#print(this.#queue.take(), this.#openLine);
    if (!this.#queue.empty) this.#burst = setTimeout(() => this.#flush(), PACE);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#frame);
    clearTimeout(this.#burst);
  }
}
