/** What the console reader finds, in order. */

export type Step =
  /** Output: `text` as it is to be shown, `lines` the complete lines in it, to look for events. */
  | { readonly kind: 'text'; readonly text: string; readonly lines: readonly string[] }
  /** The marker came back: kd is at this prompt. */
  | { readonly kind: 'mark'; readonly prompt: string }
  /** A known noise line was swallowed (field report 2). */
  | { readonly kind: 'noise'; readonly text: string };

/** Collects steps, joining neighbouring pieces of text. */
export class Steps {
  readonly list: Step[] = [];
  #lines: string[] = [];
  #text = '';

  text(text: string, lines: readonly string[]): void {
    this.#text += text;
    this.#lines.push(...lines);
    const last = this.list.at(-1);
    const step: Step = { kind: 'text', text: this.#text, lines: this.#lines };
    if (last?.kind === 'text') this.list[this.list.length - 1] = step;
    else this.list.push(step);
  }

  push(step: Step): void {
    this.#text = '';
    this.#lines = [];
    this.list.push(step);
  }
}
