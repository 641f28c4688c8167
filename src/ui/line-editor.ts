/**
 * A line being edited below text that keeps arriving: `node:readline` on a pair of streams, plus "print above".
 *
 * Everything a person expects of a console (history, word moves, wide characters, Ctrl+L) is readline's. This file only
 * takes the edited line off the screen, prints, and puts it back.
 */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';

export interface LineEditorEvents {
  readonly onLine: (line: string) => void;
  readonly onInterrupt: () => void;
  /** Ctrl+D on an empty line. */
  readonly onClose: () => void;
}

/** What readline writes to: a writer that knows the size of the screen. */
class Screen extends Writable {
  columns = 80;
  rows = 24;
  readonly isTTY = true;
  readonly #put: (text: string) => void;
  constructor(put: (text: string) => void) {
    super({ decodeStrings: false });
    this.#put = put;
  }
  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.#put(String(chunk));
    done();
  }
}

export class LineEditor {
  readonly #input = new PassThrough();
  readonly #screen: Screen;
  readonly #readline: Interface;
  #closed = false;

  constructor(write: (text: string) => void, history: readonly string[], events: LineEditorEvents) {
    this.#screen = new Screen(write);
    this.#readline = createInterface({
      input: this.#input,
      output: this.#screen,
      terminal: true,
      prompt: '',
      history: [...history],
      historySize: 500,
      removeHistoryDuplicates: true,
      escapeCodeTimeout: 50,
    });
    this.#readline.on('line', events.onLine);
    this.#readline.on('SIGINT', events.onInterrupt);
    // Without a listener readline would stop this very process on Ctrl+Z.
    this.#readline.on('SIGTSTP', () => {});
    this.#readline.on('close', () => {
      if (!this.#closed) events.onClose();
    });
  }

  /** Keys, as the terminal sends them. */
  input(keys: string): void {
    if (!this.#closed) this.#input.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#screen.columns = columns;
    this.#screen.rows = rows;
    this.#screen.emit('resize');
  }

  /** What is typed so far. */
  get line(): string {
    return this.#readline.line;
  }

  /** Forgets what is typed so far. */
  discard(): void {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
  }

  /** Takes the edited line off the screen, writes `text`, and shows the line again behind `prompt`. */
  print(text: string, prompt: string): void {
    if (this.#closed) return;
    moveCursor(this.#screen, 0, -this.#readline.getCursorPos().rows);
    cursorTo(this.#screen, 0);
    clearScreenDown(this.#screen);
    if (text !== '') this.#screen.write(text);
    // readline would go up by the rows the line had before; it is gone from the screen already.
    Reflect.set(this.#readline, 'prevRows', 0);
    this.#readline.setPrompt(prompt);
    this.#readline.prompt(true);
  }

  dispose(): void {
    this.#closed = true;
    this.#readline.close();
    this.#input.destroy();
  }
}
