/** A terminal of the few things that readline and the console use, to see what a person would see. */

export class FakeScreen {
  readonly #columns: number;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The lines, without trailing blanks and without empty lines at the end. */
  get text(): string {
    return this.#lines
      .map((cells) => cells.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  get cursor(): readonly [row: number, column: number] {
    return [this.#row, this.#column];
  }

  write(text: string): void {
    const parts = /\x1b\[(\??[\d;]*)([A-Za-z])|[\s\S]/gu;
    for (const [part, args = '', final] of text.matchAll(parts)) {
      if (final !== undefined) this.#control(final, args);
      else if (part === '\r') this.#column = 0;
      else if (part === '\n') this.#down();
      else this.#put(part);
    }
  }

  #put(character: string): void {
    if (this.#column >= this.#columns) {
      this.#column = 0;
      this.#down();
    }
    this.#cells()[this.#column] = character;
    this.#column += 1;
  }

  #down(): void {
    this.#row += 1;
    this.#cells();
  }

  #cells(): string[] {
    while (this.#lines.length <= this.#row) this.#lines.push([]);
    const cells = this.#lines[this.#row] ?? [];
    while (cells.length < this.#column) cells.push(' ');
    return cells;
  }

  #control(final: string, args: string): void {
    const count = Number(args.split(';')[0] || '1');
    switch (final) {
      case 'A':
        this.#row = Math.max(0, this.#row - count);
        return;
      case 'B':
        this.#row += count;
        return;
      case 'C':
        this.#column += count;
        return;
      case 'D':
        this.#column = Math.max(0, this.#column - count);
        return;
      case 'G':
        this.#column = count - 1;
        return;
      case 'J':
        this.#cells().splice(this.#column);
        this.#lines.splice(this.#row + 1);
        return;
      case 'K':
        this.#cells().splice(this.#column);
        return;
      case 'm':
      case 'h':
        return;
      default:
        throw new Error(`The fake screen does not know CSI ${args}${final}`);
    }
  }
}
