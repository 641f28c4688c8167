/** Tells a newcomer what happens, on stdout. */
import { styleText } from 'node:util';
import { neutralise } from '../client/neutralise.ts';

const WIDTH = 108;

export class Narrator {
  readonly #write: (text: string) => void;
  #steps = 0;

  constructor(
    write: (text: string) => void = (text) => {
      process.stdout.write(text);
    },
  ) {
    this.#write = write;
  }

  title(text: string): void {
    this.#line(this.#styled('bold', text));
  }

  /** A step of the story, and why it is done. */
  step(title: string, why?: string): void {
    this.#line('');
    this.#line(this.#styled('bold', `${++this.#steps}. ${title}`));
    if (why !== undefined) this.#line(`   ${why}`);
  }

  note(text: string): void {
    this.#line(`   ${neutralise(text)}`);
  }

  /** A tool call as a client would show it. */
  call(tool: string, args: Readonly<Record<string, unknown>>): void {
    const shown = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    this.#line(this.#styled('cyan', `   → ${tool}(${shown.join(', ')})`));
  }

  /** The beginning of a text (a reply, a file), and its last line where that names the next call. */
  quote(text: string, lines: number): void {
    const all = neutralise(text).trimEnd().split('\n');
    const last = all.length > lines && /read_output\(/.test(all.at(-1) ?? '') ? all.slice(-1) : [];
    const left = all.length - lines - last.length;
    const shown = [...all.slice(0, lines), ...(left > 0 ? [`… ${left} more lines`] : []), ...last];
    for (const line of shown) {
      this.#line(this.#styled('dim', `   │ ${line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line}`));
    }
  }

  #styled(style: 'bold' | 'dim' | 'cyan', text: string): string {
    return styleText(style, text, { stream: process.stdout });
  }

  #line(text: string): void {
    this.#write(`${text}\n`);
  }
}
