/**
 * From kd's console text to lines, and to the one fact that counts: "kd is at its prompt".
 *
 * kd marks nothing. So when its output looks like a prompt, the session writes a blank `.echo` (it ends an unfinished
 * line) and `.echo <marker>`; the marker's line is the proof (kd-behaviour.md §7.2). On the pipe that gives
 *
 *     …last output[newline]<prompt><newline><prompt><marker><newline><prompt>
 *
 * from which the prompt's exact text follows. A forged prompt only makes the marker wait in kd's stdin, where it
 * becomes a detector of the next real one.
 *
 * The reader is a state machine over text: how the text is split changes nothing about lines and marks.
 */
import { promptAtEnd, promptAtStart, stripPrompts } from './prompts.ts';

export type Step =
  /** Output: `text` as it is to be shown, `lines` the complete lines in it, to look for events. */
  | { readonly kind: 'text'; readonly text: string; readonly lines: readonly string[] }
  /** The marker came back: kd is at this prompt. */
  | { readonly kind: 'mark'; readonly prompt: string }
  /** A known noise line was swallowed (field report 2). */
  | { readonly kind: 'noise'; readonly text: string };

/** Repeated by some engine versions once a second, in the middle of everything (microsoft/WinDbg-Feedback#230). */
const NOISE_START = 'Error getting port connector information: 0x';
const NOISE = /Error getting port connector information: 0x[0-9A-Fa-f]{8}$/;

/** An unfinished line longer than this is passed on in pieces, so that memory stays flat. */
const LONGEST_TAIL = 64 * 1024;
/** Kept of such a line: enough for any prompt and marker. */
const KEPT_TAIL = 4 * 1024;
/** Lines between a prompt and its marker that are held back to find the blank `.echo` among them. */
const HELD_LINES = 4;

export class ConsoleReader {
  /** The unfinished line. */
  #tail = '';
  /** How much of it was given out already. */
  #shown = 0;
  /** The prompt that is still to come after a marker, or to be cut off the next line. */
  #prompt: string | undefined;
  #marker: string | undefined;
  #held: { text: string; shown: number }[] = [];

  /** The unfinished line without a prompt that is known already. */
  get tail(): string {
    return this.#prompt !== undefined && this.#tail.startsWith(this.#prompt)
      ? this.#tail.slice(this.#prompt.length)
      : this.#tail;
  }

  /** A marker is on its way. */
  get armed(): boolean {
    return this.#marker !== undefined;
  }

  /** Expects `marker` at the end of a line from now on. */
  arm(marker: string): void {
    this.#marker = marker;
    this.#held = [];
  }

  /** The unfinished line is nothing but prompts of lines that kd read without a word: they are no output. */
  absorbPrompts(): void {
    if (stripPrompts(this.#tail) === '') this.#prompt = this.#tail;
  }

  /** Takes decoded text, in any pieces. */
  push(chunk: string): readonly Step[] {
    const steps = new Steps();
    const text = this.#tail + (chunk.includes('\r') ? chunk.replaceAll('\r', '') : chunk);
    const lines = text.split('\n');
    this.#tail = lines.pop() ?? '';
    const noisy = text.includes(NOISE_START);
    if (lines.length > 0 && !noisy && this.#marker === undefined && this.#prompt === undefined) {
      // The common case by far, and the one that megabytes take.
      steps.text(text.slice(this.#shown, text.length - this.#tail.length), lines);
      this.#shown = 0;
    } else {
      for (const [index, raw] of lines.entries()) {
        const noise = noisy ? NOISE.exec(raw) : null;
        if (noise === null) {
          this.#line(raw, steps);
          continue;
        }
        // The line goes on where the noise fell into it.
        const before = raw.slice(0, noise.index);
        if (index + 1 < lines.length) lines[index + 1] = before + (lines[index + 1] ?? '');
        else this.#tail = before + this.#tail;
        steps.push({ kind: 'noise', text: noise[0] });
      }
    }
    if (this.#tail.length > LONGEST_TAIL && this.#marker === undefined) {
      const cut = this.#tail.length - KEPT_TAIL;
      steps.text(this.#tail.slice(this.#shown, cut), []);
      this.#tail = this.#tail.slice(cut);
      this.#shown = 0;
    }
    return steps.list;
  }

  /**
   * Gives out what waits for its end though nothing comes: an unfinished line (progress dots, a DbgPrint without
   * newline) and lines held for a marker. `holdBack` says how many characters at the end to keep (part of a secret).
   */
  flush(holdBack: (text: string) => number = () => 0): readonly Step[] {
    const steps = new Steps();
    // What may be the blank `.echo` waits for its marker.
    const blank = this.#held.findIndex((held) => held.text === '' || promptAtEnd(held.text) !== undefined);
    this.#release(blank < 0 ? 0 : this.#held.length - blank, steps);
    if (this.#marker === undefined) {
      const start = Math.max(this.#shown, this.#promptLength(this.#tail));
      const end = this.#tail.length - holdBack(this.#tail.slice(start));
      if (end > start) {
        steps.text(this.#tail.slice(start, end), []);
        this.#shown = end;
      }
    }
    return steps.list;
  }

  /** The last words of a stream that ended. */
  end(): readonly Step[] {
    const steps = new Steps();
    this.#release(0, steps);
    const rest = this.#tail.slice(Math.max(this.#shown, this.#promptLength(this.#tail)));
    if (rest !== '') steps.text(`${rest}\n`, [this.tail]);
    this.#tail = '';
    this.#shown = 0;
    return steps.list;
  }

  #line(raw: string, steps: Steps): void {
    const cut = this.#promptLength(raw);
    const shown = Math.max(0, this.#shown - cut);
    const line = cut === 0 ? raw : raw.slice(cut);
    this.#prompt = undefined;
    this.#shown = 0;
    if (this.#marker === undefined) {
      steps.text(`${line.slice(shown)}\n`, [line]);
      return;
    }
    if (!raw.endsWith(this.#marker)) {
      this.#held.push({ text: line, shown });
      this.#release(HELD_LINES, steps);
      return;
    }
    const before = raw.slice(0, raw.length - this.#marker.length);
    const prompt = promptAtStart(before) ?? before;
    this.#marker = undefined;
    this.#dropBlankEcho(prompt);
    this.#release(0, steps);
    let stray = before.slice(prompt.length);
    while (prompt !== '' && stray.startsWith(prompt)) stray = stray.slice(prompt.length);
    if (stray !== '') steps.text(`${stray}\n`, [stray]);
    this.#prompt = prompt;
    steps.push({ kind: 'mark', prompt });
  }

  /** Takes the blank `.echo` out of the held lines: the last one that ends with the prompt (or is empty). */
  #dropBlankEcho(prompt: string): void {
    for (let i = this.#held.length - 1; i >= 0; i--) {
      const held = this.#held[i];
      if (held === undefined || !held.text.endsWith(prompt)) continue;
      held.text = held.text.slice(0, held.text.length - prompt.length);
      if (held.text.length <= held.shown && held.shown === 0) this.#held.splice(i, 1);
      return;
    }
    // Something came between prompt and echo: `<prompt>text`, then the echo's empty line.
    if (this.#held.at(-1)?.text === '') this.#held.pop();
    const first = this.#held[0];
    if (first?.text.startsWith(prompt)) {
      first.text = first.text.slice(prompt.length);
      first.shown = Math.max(0, first.shown - prompt.length);
    }
  }

  #release(keep: number, steps: Steps): void {
    while (this.#held.length > keep) {
      const held = this.#held.shift();
      if (held) steps.text(`${held.text.slice(held.shown)}\n`, [held.text]);
    }
  }

  #promptLength(line: string): number {
    const prompt = this.#prompt;
    return prompt !== undefined && line.startsWith(prompt) ? prompt.length : 0;
  }
}

/** Collects steps, joining neighbouring pieces of text. */
class Steps {
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
