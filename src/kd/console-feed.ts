/**
 * From kd's pipe to what a session needs to know: text to show, events, prompts that are proved, questions.
 *
 * It writes to kd by itself only what finds out where kd is: markers (framing.ts), and `.logopen` where the pipe is cut.
 */
import { randomBytes } from 'node:crypto';
import { createDecoder, type Decoder } from './decode.ts';
import { type ConsoleEvent, eventOf, mayTell } from './events.ts';
import { ConsoleReader, type Step } from './framing.ts';
import type { OthersCommand } from './others.ts';
import { promptAtEnd, promptAtStart, type Question, questionIn, stripPrompts } from './prompts.ts';
import type { Redactor } from './redact.ts';
import { UnicodeLog } from './unicode-log.ts';

/** Silence after which an unfinished line is looked at: shown, or taken for a question. */
const QUIET_MS = 40;
/** Silence after which a question is believed: output may pause behind the same words. */
const QUESTION_MS = 250;
/** A prompt that does not answer within this time is the target's own text. */
const ANSWER_MS = 300;
/** The first time to ask again what looks like a prompt; twice as long each time, for the target may have printed it. */
const ASK_AGAIN_MS = 1_500;

/** Where kd is, as far as the session knows. */
export type Place =
  /** At the prompt that was proved last: it prints nothing by itself. */
  | 'prompt'
  /** It may come to a prompt or a question at any time. */
  | 'working'
  /** It starts: nothing is sent on a guess. */
  | 'starting'
  /** At a question that was reported. */
  | 'asking'
  /** Gone. */
  | 'elsewhere';

export interface FeedListener {
  readonly place: () => Place;
  /** Others may send commands to this kd. */
  readonly shared: () => boolean;
  /** The command of the owner that a line is, where kd is a client of another debugger. */
  readonly owners: (line: string) => OthersCommand | undefined;
  /** The command that runs, as sent. */
  readonly command: () => string | undefined;
  readonly write: (text: string) => void;
  readonly onText: (text: string) => void;
  readonly onEvent: (event: ConsoleEvent, line: string) => void;
  readonly onNoise: () => void;
  /** kd is at this prompt. */
  readonly onPrompt: (prompt: string) => void;
  readonly onQuestion: (question: Question) => void;
  /** The question that was reported is none: nobody answered, and kd goes on. */
  readonly onNoQuestion: () => void;
  readonly onRemark: (text: string) => void;
  /** After each piece of input, when all of the above was called for it. */
  readonly onSettled: () => void;
}

export interface FeedOptions {
  readonly codePage: number;
  readonly redactor: Redactor;
  /** kd cuts its console output: its working folder, where it is made to write a log. */
  readonly logFolder: string | undefined;
}

export class ConsoleFeed {
  readonly #listener: FeedListener;
  readonly #decoder: Decoder;
  readonly #redactor: Redactor;
  readonly #reader = new ConsoleReader((text) => this.#redactor.unfinished(text), mayTell);
  readonly #markers = `KDMCP_${randomBytes(6).toString('hex')}_`;
  readonly #log: UnicodeLog | undefined;
  #marked = 0;
  #armedAt = 0;
  /** `.logopen` was sent; the next prompt tells whether it worked. */
  #logOpening = false;
  /** The question that was answered: it stays the unfinished line until kd goes on. */
  #answered = '';
  /** The unfinished line that was reported as a question. */
  #asked = '';
  #askAgain: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #lastInput = 0;

  constructor(options: FeedOptions, listener: FeedListener) {
    this.#listener = listener;
    this.#decoder = createDecoder(options.codePage);
    this.#redactor = options.redactor;
    const { logFolder, redactor } = options;
    if (logFolder !== undefined)
      this.#log = new UnicodeLog(logFolder, this.#markers, (text) => redactor.unfinished(text));
  }

  /** A prompt was seen and is being proved. */
  get proving(): boolean {
    return this.#reader.armed && Date.now() - this.#armedAt < ANSWER_MS;
  }

  received(bytes: Uint8Array): void {
    this.#lastInput = Date.now();
    const steps = this.#reader.push(this.#decoder.decode(bytes));
    this.#take(steps);
    // Not only in silence: there may be none for hours.
    this.#drainLog(false);
    const { tail } = this.#reader;
    if (this.#asked !== '' && tail !== this.#asked) this.#goesOn();
    if (!this.#reader.armed && promptAtEnd(tail) !== undefined) {
      if (this.#listener.place() === 'prompt') this.#reader.absorbPrompts();
      else this.#arm();
    }
    if (tail !== '' || this.#reader.armed || this.#log?.active) this.#listenForSilence(QUIET_MS);
    this.#listener.onSettled();
  }

  /** Asks kd whether it is at its prompt; the answer is a prompt. Nothing for a kd that runs its target. */
  prove(): void {
    if (!this.#reader.armed) this.#arm();
  }

  /** A command is about to be sent: what came before it is shown, its own line in the log is not. */
  sending(command: string): void {
    this.#drainLog(false);
    this.#log?.sent(command);
  }

  /** An answer is about to be sent: the question is no question any more. */
  answering(): void {
    this.#answered = this.#reader.tail;
    this.#asked = '';
  }

  /** kd is gone: its last words. */
  end(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#askAgain);
    this.#take([...this.#reader.push(this.#decoder.end()), ...this.#reader.end()]);
    this.#drainLog(true);
    this.#log?.dispose();
  }

  #take(steps: readonly Step[]): void {
    for (const step of steps) {
      switch (step.kind) {
        case 'text':
          if (step.text !== '' && !this.#log?.active) this.#listener.onText(step.text);
          for (const line of step.lines) this.#line(line);
          break;
        case 'noise':
          this.#listener.onNoise();
          break;
        case 'mark':
          clearTimeout(this.#askAgain);
          this.#asked = '';
          this.#drainLog(true);
          if (!this.#openLog()) this.#listener.onPrompt(step.prompt);
          break;
      }
    }
  }

  #line(line: string): void {
    // What others do right behind a stop hides its prompt: kd shows no other one (kd-behaviour.md §9.2).
    const place = this.#listener.place();
    const hidden = (place === 'working' || place === 'starting') && promptAtStart(line) !== undefined;
    if (hidden && this.#listener.shared()) this.prove();
    const told = this.#tell(line);
    if (told || !line.includes('> ')) return;
    const owners = this.#listener.owners(this.#redactor.redact(line));
    if (owners !== undefined) {
      this.#listener.onEvent({ kind: 'user-command', ...owners }, line);
      return;
    }
    const bare = stripPrompts(line);
    if (bare !== line) this.#tell(bare);
  }

  /** What of the line goes into a status must hold no secret either. */
  #tell(line: string): boolean {
    if (eventOf(line) === undefined) return false;
    const shown = this.#redactor.redact(line);
    const event = eventOf(shown);
    if (event) this.#listener.onEvent(event, shown);
    return true;
  }

  /** kd looks like it is at a prompt: ask it. */
  #arm(): void {
    const marker = `${this.#markers}${++this.#marked}_`;
    this.#reader.arm(marker);
    this.#armedAt = Date.now();
    this.#listener.write(`.echo\n.echo ${marker}\n`);
    this.#askAgainIn(ASK_AGAIN_MS);
  }

  /** A break can make kd drop what it reads in that moment (kd-behaviour.md §5.1): then no marker comes. */
  #askAgainIn(ms: number): void {
    clearTimeout(this.#askAgain);
    this.#askAgain = setTimeout(() => {
      if (!this.#reader.armed) return;
      const looksIdle = promptAtEnd(this.#reader.tail) !== undefined;
      if (looksIdle && this.#listener.place() === 'working')
        this.#listener.write(`.echo ${this.#reader.again()}\n`);
      this.#askAgainIn(ms * 2);
    }, ms);
  }

  #goesOn(): void {
    this.#asked = '';
    if (this.#listener.place() === 'asking') this.#listener.onNoQuestion();
  }

  #listenForSilence(ms: number): void {
    this.#quiet ??= setTimeout(() => {
      this.#quiet = undefined;
      const left = this.#lastInput + QUIET_MS - Date.now();
      if (left > 0) this.#listenForSilence(left);
      else this.#silence();
    }, ms);
  }

  /** Nothing came for a while: the unfinished line is a question, an unknown prompt, or simply unfinished. */
  #silence(): void {
    const { tail } = this.#reader;
    const place = this.#listener.place();
    const open = (place === 'working' || place === 'starting') && !this.#reader.armed;
    const question = open && tail !== this.#answered ? questionIn(tail, this.#listener.command()) : undefined;
    const early = question ? this.#lastInput + QUESTION_MS - Date.now() : 0;
    this.#take(this.#reader.flush(!this.proving));
    if (this.proving) this.#listenForSilence(ANSWER_MS);
    this.#drainLog(question !== undefined);
    if (early > 0) {
      this.#listenForSilence(early);
    } else if (question) {
      this.#asked = tail;
      this.#listener.onQuestion(question);
    }
    // A prompt form that nobody documented; a marker in kd's stdin does no harm if it is none.
    else if (open && place === 'working' && tail.endsWith('> ')) this.#arm();
    this.#listener.onSettled();
  }

  #drainLog(all: boolean): void {
    for (const text of this.#log?.read(all) ?? []) if (text !== '') this.#listener.onText(text);
  }

  /** True while kd is made to begin a log: the prompt that follows counts instead of this one. */
  #openLog(): boolean {
    if (this.#log === undefined) return false;
    if (this.#logOpening) {
      this.#logOpening = false;
      if (!this.#log.begin()) this.#listener.onRemark('kd opened no log: lines that are not ASCII are cut');
      return false;
    }
    if (!this.#log.due) return false;
    this.#logOpening = true;
    this.#listener.write(`${this.#log.nextCommand()}\n`);
    return true;
  }
}
