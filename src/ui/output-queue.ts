/** Text on its way to a terminal: handed out in small portions, bounded when it comes faster than it can be shown. */

/** Characters of one write to the terminal. */
export const PORTION = 16 * 1024;
/** More than this is not kept: a terminal's scrollback would not hold it either. */
const MOST = 2 * 1024 * 1024;

export class OutputQueue {
  #parts: string[] = [];
  #size = 0;
  #skipped = 0;
  readonly #skippedRemark: (characters: number) => string;

  constructor(skippedRemark: (characters: number) => string) {
    this.#skippedRemark = skippedRemark;
  }

  get empty(): boolean {
    return this.#parts.length === 0;
  }

  /** Adds complete lines. The oldest go when there are too many; {@link take} then says how much is missing. */
  add(text: string): void {
    if (text === '') return;
    const last = this.#parts.at(-1);
    if (last !== undefined && last.length + text.length <= PORTION) {
      this.#parts[this.#parts.length - 1] = last + text;
    } else {
      this.#parts.push(...portions(text));
    }
    this.#size += text.length;
    let drop = 0;
    while (this.#size > MOST && drop < this.#parts.length - 1) {
      const length = this.#parts[drop]?.length ?? 0;
      this.#size -= length;
      this.#skipped += length;
      drop += 1;
    }
    if (drop > 0) this.#parts.splice(0, drop);
  }

  /** The next portion, '' when there is none. */
  take(): string {
    const text = this.#parts.shift() ?? '';
    this.#size -= text.length;
    if (this.#skipped === 0) return text;
    const remark = this.#skippedRemark(this.#skipped);
    this.#skipped = 0;
    return `\x1b[0m\x1b[2m[${remark}]\x1b[0m\r\n${text}`;
  }
}

/** Cuts `text` into parts of at most {@link PORTION} UTF-16 units, never between the halves of a surrogate pair. */
function portions(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > PORTION) {
    let to = from + PORTION;
    const before = text.charCodeAt(to - 1);
    if (before >= 0xd800 && before <= 0xdbff) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  parts.push(text.slice(from));
  return parts;
}
