/** Several pasted lines are not sent before the person has seen them and said so. */
import type { Translate } from './l10n.ts';

/** So many are shown. */
const SHOWN = 10;

export class PastedLines {
  readonly #remark: (text: string) => void;
  readonly #run: (lines: readonly string[]) => void;
  readonly #t: Translate;
  #lines: readonly string[] | undefined;

  constructor(options: {
    readonly remark: (text: string) => void;
    readonly run: (lines: readonly string[]) => void;
    readonly t: Translate;
  }) {
    this.#remark = options.remark;
    this.#run = options.run;
    this.#t = options.t;
  }

  /** The next keys are the answer. */
  get waiting(): boolean {
    return this.#lines !== undefined;
  }

  ask(lines: readonly string[]): void {
    this.#lines = lines;
    for (const line of lines.slice(0, SHOWN)) this.#remark(`  ${line}`);
    if (lines.length > SHOWN) this.#remark('  …');
    const t = this.#t;
    this.#remark(
      t('{0} lines pasted. Enter runs them one after the other, any other key discards them.', lines.length),
    );
  }

  /** Enter runs them, anything else (another paste, too) is a no. */
  answer(keys: string): void {
    const lines = this.#lines ?? [];
    this.#lines = undefined;
    const t = this.#t;
    if (/^[\r\n]/.test(keys)) this.#run(lines);
    else this.#remark(t('Discarded.'));
  }
}
