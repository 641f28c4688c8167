/**
 * The rules by which kd reads and writes its pipes, and nothing else: no echo, a prompt without newline, one prompt for
 * each line it reads, stdin left alone while the target runs (kd-behaviour.md §4).
 */
export class FakeConsole {
  #input: string[] = [];
  #output = '';
  #running = false;
  readonly #outputOf: (command: string) => string;
  readonly #prompt: () => string;

  constructor(outputOf: (command: string) => string, prompt: () => string) {
    this.#outputOf = outputOf;
    this.#prompt = prompt;
  }

  /** Output since the last call. */
  take(): string {
    const output = this.#output;
    this.#output = '';
    return output;
  }

  print(text: string): void {
    this.#output += text.replaceAll('\n', '\r\n');
  }

  /** The target stops: kd prints why, and its prompt. */
  stop(text: string): void {
    this.#running = false;
    this.print(text + this.#prompt());
    this.#work();
  }

  write(text: string): void {
    this.#input.push(...text.split('\n').slice(0, -1));
    this.#work();
  }

  #work(): void {
    while (!this.#running) {
      const line = this.#input.shift();
      if (line === undefined) return;
      if (line === 'g') {
        this.#running = true;
        return;
      }
      if (line === '.echo') this.print('\n');
      else if (line.startsWith('.echo ')) this.print(`${line.slice(6)}\n`);
      else this.print(this.#outputOf(line));
      this.print(this.#prompt());
    }
  }
}
