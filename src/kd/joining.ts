/**
 * How a kd that is a client comes into another debugger's session: it is first shown what was printed before, in which
 * others may have come too; the last line is its own, and a prompt follows if the target is halted (engine-facts.md).
 */

/** A debugger that was joined and shows no prompt within this time has a target that runs, or none. */
const QUIET_MS = 1_000;
/** Kept of what kd says before: it tells why it was refused. */
const WORDS = 2_000;

export class Joining {
  readonly #onQuiet: () => void;
  #done: boolean;
  #words = '';
  #timer: NodeJS.Timeout | undefined;

  /** @param client kd is a client; any other has nothing to join. `onQuiet`: it has joined, and no prompt came. */
  constructor(client: boolean, onQuiet: () => void) {
    this.#done = !client;
    this.#onQuiet = onQuiet;
  }

  /** Until then nothing that is printed counts. */
  get done(): boolean {
    return this.#done;
  }

  /** What kd said before, its end. */
  get words(): string {
    return this.#words;
  }

  printed(text: string): void {
    if (!this.#done) this.#words = (this.#words + text).slice(-WORDS);
  }

  /** Somebody connected: this kd, unless another line like this follows. */
  announced(): void {
    if (this.#done) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#done = true;
      this.#onQuiet();
    }, QUIET_MS);
  }

  /** kd is at a prompt. */
  proved(): void {
    this.#done = true;
    clearTimeout(this.#timer);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
