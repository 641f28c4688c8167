/** A terminal that shows a stream of output and, below it, the line that is being typed. Or a pipe, that only shows. */
import { createInterface, type Interface } from 'node:readline';
import { neutralise } from '../client/neutralise.ts';

const CLEAR_LINE = '\r\u001b[K';

export interface ScreenEvents {
  readonly onLine: (line: string) => void;
  /** Ctrl+C. */
  readonly onInterrupt: () => void;
  /** Ctrl+D, or the end of piped input. */
  readonly onEnd: () => void;
}

export class Screen {
  /** A person sits there; otherwise input and output are pipes. */
  readonly interactive: boolean;
  readonly #lines: Interface;
  readonly #output: NodeJS.WritableStream;
  /** What stands on the last line and has no line end yet. */
  #unfinished = '';
  #prompt = '';

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, events: ScreenEvents) {
    this.interactive = input.isTTY === true && output.isTTY === true;
    this.#output = output;
    this.#lines = createInterface({ input, ...(this.interactive ? { output, terminal: true } : {}) });
    this.#lines.on('line', (line) => {
      this.#unfinished = '';
      events.onLine(line);
    });
    this.#lines.on('SIGINT', events.onInterrupt);
    this.#lines.once('close', events.onEnd);
  }

  /** Text of the session; nothing in it is obeyed. */
  write(raw: string): void {
    const text = neutralise(raw);
    if (text === '') return;
    // The typed line is taken away and put back behind the text.
    if (this.interactive) this.#output.write(this.#unfinished === '' ? CLEAR_LINE : '');
    this.#output.write(text);
    const last = text.slice(text.lastIndexOf('\n') + 1);
    this.#unfinished = text.includes('\n') ? last : this.#unfinished + last;
    if (this.#unfinished === '') this.#show();
  }

  /** A remark of this program, on a line of its own. */
  say(text: string): void {
    if (this.#unfinished !== '') this.write('\n');
    this.write(`[${text}]\n`);
  }

  /** What stands in front of the typed line. A prompt that kd printed is replaced by it. */
  prompt(text: string): void {
    this.#prompt = neutralise(text);
    if (!this.interactive) return;
    if (this.#unfinished.trim() === this.#prompt.trim()) {
      this.#output.write(CLEAR_LINE);
      this.#unfinished = '';
    }
    if (this.#unfinished === '') this.#show();
  }

  /** Asks a person; '' when there is none. */
  ask(question: string): Promise<string> {
    if (!this.interactive) return Promise.resolve('');
    if (this.#unfinished !== '') this.write('\n');
    return new Promise((resolve) => {
      this.#lines.once('close', () => resolve(''));
      this.#lines.question(`[${question}] `, resolve);
    });
  }

  #show(): void {
    if (!this.interactive) return;
    this.#lines.setPrompt(this.#prompt === '' ? '' : `${this.#prompt.trimEnd()} `);
    this.#lines.prompt(true);
  }

  close(): void {
    if (this.interactive) this.#output.write(this.#unfinished === '' ? CLEAR_LINE : '\n');
    this.#lines.close();
  }
}
