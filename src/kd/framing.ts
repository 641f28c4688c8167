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
import { NOISE, NOISE_START, noiseBegun } from './noise.ts';
import { promptAtEnd, promptAtStart, stripPrompts } from './prompts.ts';
import { type Step, Steps } from './steps.ts';

export type { Step } from './steps.ts';

/** kd cut our own `.echo` short because a break came in that moment (kd-behaviour.md §5.1). It may shorten the text. */
const INTERRUPTED = /\^ User interrupted operation error in '\.echo (.{16})/i;

/** kd's answer to a Ctrl+F line that it read as a command, because another rung had stopped the target already. */
const CTRL_F_ANSWER = /^\s*\^ .* in '\u0006'$/;

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
  /** The marker was asked for more than once. */
  #repeated = false;
  /** A marker that came and may come again. */
  #spent: string | undefined;
  #held: { text: string; shown: number }[] = [];
  readonly #holdBack: (text: string) => number;
  readonly #worthCutting: (text: string) => boolean;

  /**
   * @param holdBack how many characters at the end of an unfinished line not to give out yet: part of a secret.
   * @param worthCutting whether anybody wants to look at the lines in a text of whole lines; without, megabytes are fast.
   */
  constructor(
    holdBack: (text: string) => number = () => 0,
    worthCutting: (text: string) => boolean = () => true,
  ) {
    this.#holdBack = holdBack;
    this.#worthCutting = worthCutting;
  }

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

  /** The marker that is on its way, to be asked for again because it may be lost. */
  again(): string | undefined {
    this.#repeated = true;
    return this.#marker;
  }

  /** Expects `marker` at the end of a line from now on. */
  arm(marker: string): void {
    this.#marker = marker;
    this.#repeated = false;
    this.#held = [];
  }

  /** The unfinished line is nothing but prompts of lines that kd read without a word: they are no output. */
  absorbPrompts(): void {
    if (stripPrompts(this.#tail) === '') this.#prompt = this.#tail;
  }

  /** Takes decoded text, in any pieces. */
  push(chunk: string): readonly Step[] {
    const steps = new Steps();
    const text = this.#tail + chunk.replace(/\r/g, '');
    const noisy = text.includes(NOISE_START);
    const plain = this.#marker === undefined && this.#prompt === undefined && this.#spent === undefined;
    const end = text.lastIndexOf('\n') + 1;
    this.#tail = text.slice(end);
    if (end > 0 && !noisy && plain && !text.includes('\u0006')) {
      // The common case by far, and the one that megabytes take.
      const whole = text.slice(0, end);
      const lines = this.#worthCutting(whole) ? whole.slice(0, -1).split('\n') : [];
      steps.text(whole.slice(this.#shown), lines);
      this.#shown = 0;
    } else if (end > 0) {
      const lines = text.slice(0, end - 1).split('\n');
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
        this.#shown = Math.min(this.#shown, before.length);
        steps.push({ kind: 'noise', text: noise[0] });
      }
    }
    if (this.#tail.length > LONGEST_TAIL) this.#shorten(steps);
    return steps.list;
  }

  /**
   * Gives out what waits for its end though nothing comes: an unfinished line (progress dots, a DbgPrint without
   * newline) and lines held for a marker.
   *
   * @param forged the prompt has not answered in time: it was the target's own text, and so is what came behind it.
   */
  flush(forged = false): readonly Step[] {
    const steps = new Steps();
    // What may be the blank `.echo` waits for its marker.
    const blank = forged
      ? -1
      : this.#held.findIndex((held) => held.text === '' || promptAtEnd(held.text) !== undefined);
    this.#release(blank < 0 ? 0 : this.#held.length - blank, steps);
    if (this.#marker === undefined) {
      const start = Math.max(this.#shown, this.#promptLength(this.#tail));
      const rest = this.#tail.slice(start);
      const end = this.#tail.length - Math.max(this.#holdBack(rest), noiseBegun(rest));
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

  /** Gives out the beginning of an endless line. */
  #shorten(steps: Steps): void {
    this.#release(0, steps);
    const cut = this.#tail.length - KEPT_TAIL;
    const start = Math.max(this.#shown, this.#promptLength(this.#tail));
    const end = Math.max(start, cut - this.#holdBack(this.#tail.slice(start, cut)));
    steps.text(this.#tail.slice(start, end), []);
    this.#tail = this.#tail.slice(end);
    this.#shown = 0;
    this.#prompt = undefined;
  }

  #line(raw: string, steps: Steps): void {
    const cut = this.#promptLength(raw);
    const shown = Math.max(0, this.#shown - cut);
    const line = cut === 0 ? raw : raw.slice(cut);
    this.#prompt = undefined;
    this.#shown = 0;
    if (raw.endsWith("'\u0006'") && CTRL_F_ANSWER.test(stripPrompts(raw))) {
      this.#prompt = promptAtStart(raw);
      return;
    }
    if (this.#spent !== undefined && raw.endsWith(this.#spent)) {
      this.#marked(raw.slice(0, -this.#spent.length), steps);
      return;
    }
    if (this.#marker === undefined) {
      steps.text(`${line.slice(shown)}\n`, [line]);
      return;
    }
    if (isEchoOf(this.#marker, raw)) {
      this.#marker = undefined;
      this.#dropBlankEcho(promptAtStart(raw) ?? '');
      this.#release(0, steps);
      return;
    }
    if (!raw.endsWith(this.#marker)) {
      this.#held.push({ text: line, shown });
      this.#release(HELD_LINES, steps);
      return;
    }
    const before = raw.slice(0, -this.#marker.length);
    const prompt = promptOf(before);
    this.#spent = this.#repeated ? this.#marker : undefined;
    this.#marker = undefined;
    this.#dropBlankEcho(prompt);
    this.#release(0, steps);
    this.#marked(before, steps);
    steps.push({ kind: 'mark', prompt });
  }

  /** What stands before a marker is the prompt, and target text that fell in between. */
  #marked(before: string, steps: Steps): void {
    const prompt = promptOf(before);
    let stray = before.endsWith(prompt) ? before.slice(0, before.length - prompt.length) : before;
    while (prompt !== '' && stray.startsWith(prompt)) stray = stray.slice(prompt.length);
    if (stray !== '') steps.text(`${stray}\n`, [stray]);
    this.#prompt = prompt;
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

/** The prompt in what stands before a marker: where kd's own text begins, or right before it, or a form nobody knows. */
function promptOf(before: string): string {
  return promptAtStart(before) ?? promptAtEnd(before) ?? before;
}

function isEchoOf(marker: string, line: string): boolean {
  const echo = INTERRUPTED.exec(line)?.[1];
  return echo !== undefined && marker.toLowerCase().startsWith(echo.toLowerCase());
}
