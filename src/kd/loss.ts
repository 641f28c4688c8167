/**
 * "The target is gone" is believed when kd says so, then waits for another one, and no prompt follows at once: a driver
 * can print the same lines, and so can a command.
 */

/** How long kd must be without a prompt after that. */
const LOST_MS = 150;

export type LossKind = 'reboot' | 'hard-reset';

export class Loss {
  readonly #onLost: (kind: LossKind, line: string) => void;
  #kind: LossKind = 'reboot';
  #line: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onLost: (kind: LossKind, line: string) => void) {
    this.#onLost = onLost;
  }

  /** "The target machine restarted without notifying the debugger." */
  hardReset(): void {
    this.#kind = 'hard-reset';
  }

  /** "Shutdown occurred at …" */
  shutdown(line: string): void {
    this.#line = line;
  }

  /** "Waiting to reconnect..." */
  waits(): void {
    if (this.#line !== undefined) this.#timer ??= setTimeout(() => this.confirm(), LOST_MS);
  }

  /** What came now proves it: kd has met a target anew. Nothing happens when nothing was suspected. */
  confirm(): void {
    if (this.#timer === undefined) return;
    const [kind, line] = [this.#kind, this.#line ?? ''];
    this.dismiss();
    this.#onLost(kind, line);
  }

  /** A prompt: it was only text. */
  dismiss(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#line = undefined;
    this.#kind = 'reboot';
  }
}
