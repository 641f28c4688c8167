/**
 * A person's console on a session: the live transcript above, a line being edited below. No VS Code in here.
 *
 * What everybody sends is shown, an agent's commands dimmed and with its name. Text of the target is neutralised before
 * it is written.
 */

import type { Session } from '../client/sessions.ts';
import type { OutputRole } from '../host/protocol.ts';
import { effectOf, splitLines } from '../kd/command.ts';
import { ConsoleOutput } from './console-output.ts';
import { busyWith, takesCommands, whyNot } from './console-words.ts';
import { forPeople } from './for-people.ts';
import type { Translate } from './l10n.ts';
import { LineEditor } from './line-editor.ts';
import { MARK_PASTES, PasteReader } from './paste.ts';
import { PastedLines } from './pasted-lines.ts';
import { SentLines } from './sent-lines.ts';

/** Older transcript that a new console shows, bytes. */
const BACKLOG = 256 * 1024;
const BREAK_TIMEOUT = 30_000;

export type ConsoleSession = Pick<
  Session,
  'id' | 'info' | 'command' | 'breakIn' | 'follow' | 'touch' | 'onChange' | 'onClose'
>;

export interface ConsoleOptions {
  readonly session: ConsoleSession;
  /** Name under which this console's own commands come back. */
  readonly person: string;
  readonly write: (text: string) => void;
  /** The person wants out (Ctrl+D); the session goes on. */
  readonly onDetach: () => void;
  /** A command that would end kd was typed; it is not sent. */
  readonly onQuit: () => void;
  readonly history?: readonly string[];
  readonly onHistory?: (line: string) => void;
  readonly t: Translate;
}

export class KdConsole {
  readonly #session: ConsoleSession;
  readonly #options: ConsoleOptions;
  readonly #editor: LineEditor;
  readonly #disposables: { dispose(): void }[] = [];
  readonly #output: ConsoleOutput;
  readonly #pastes = new PasteReader();
  readonly #pasted: PastedLines;
  readonly #sent: SentLines;
  #touched = 0;
  #disposed = false;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#session = options.session;
    const { session, person, t } = options;
    this.#output = new ConsoleOutput(
      (text, openLine) => this.#editor.print(text, openLine),
      (characters) => t('{0} characters skipped here; the transcript has them.', characters),
    );
    const remark = (text: string) => this.#output.remark(text);
    this.#pasted = new PastedLines({ remark, run: (lines) => this.#run(lines), t });
    this.#sent = new SentLines({ session, person, remark, t });
    this.#editor = new LineEditor((text) => options.write(text), options.history ?? [], {
      onLine: (line) => this.#enter(line),
      onInterrupt: () => this.#interrupt(),
      onClose: options.onDetach,
    });
  }

  /** Shows the end of the transcript and follows it from there. */
  async open(): Promise<void> {
    const { session, t } = this.#options;
    this.#options.write(MARK_PASTES);
    const from = Math.max(0, session.info.transcriptEnd - BACKLOG);
    if (from > 0)
      this.#output.remark(t('Earlier output is in the transcript: {0}', session.info.transcriptPath));
    this.#disposables.push(
      session.onClose(() => {
        // When it ended in order, the transcript's last line has said so.
        if (session.info.status.state !== 'ended') this.#output.remark(t('The session is gone.'));
        this.#output.remark(t('Transcript: {0}', session.info.transcriptPath));
      }),
    );
    try {
      const following = await session.follow(from, (piece) => this.#piece(piece.text, piece.role));
      if (this.#disposed) following.dispose();
      else this.#disposables.push(following);
    } catch (error) {
      this.#output.remark(forPeople(messageOf(error), t));
    }
  }

  /** Keys, as the terminal sends them. */
  input(keys: string): void {
    const now = Date.now();
    if (now - this.#touched > 1000) {
      this.#touched = now;
      this.#session.touch();
    }
    this.#output.settle();
    for (const { kind, text } of this.#pastes.read(keys)) {
      if (this.#pasted.waiting) this.#pasted.answer(kind === 'typed' ? text : '');
      else if (kind === 'typed') this.#editor.input(text);
      else this.#paste(text);
    }
  }

  resize(columns: number, rows: number): void {
    this.#editor.resize(columns, rows);
  }

  #piece(text: string, role: OutputRole): void {
    if (this.#sent.isEcho(text, role)) {
      this.#output.closeLine();
      this.#output.schedule();
    } else this.#output.add(text, role);
  }

  /** One line is as if typed: its Enter is left to the person. */
  #paste(text: string): void {
    const lines = splitLines(text);
    const [first = '', ...more] = lines;
    if (more.length === 0) this.#editor.input(first);
    else this.#pasted.ask(lines);
  }

  /** Pasted lines that the person wants. */
  #run(lines: readonly string[]): void {
    const { session, t } = this.#options;
    const { state } = session.info.status;
    if (lines.some((line) => effectOf(line).endsSession)) this.#options.onQuit();
    else if (takesCommands(state)) this.#sent.send(lines, { shown: false });
    else this.#output.remark(whyNot(state, t));
  }

  #enter(line: string): void {
    const { session, t } = this.#options;
    const { state } = session.info.status;
    // readline has moved to a new line: what stood before the typed text is on the screen for good.
    if (state !== 'broken') this.#output.closeLine();
    if (state === 'asking') {
      this.#send(line, { shown: true, answer: true });
    } else if (line.trim() === '') {
      // kd would repeat the last command; a person who presses Enter here only wants a new line.
      this.#output.schedule();
    } else if (takesCommands(state)) {
      this.#options.onHistory?.(line);
      if (effectOf(line).endsSession) {
        this.#output.schedule();
        this.#options.onQuit();
        return;
      }
      if (state === 'busy') this.#output.remark(t('Queued behind {0}', busyWith(session.info, t)));
      // A queued one is shown where it runs, with its output.
      this.#send(line, { shown: state === 'broken' });
    } else {
      this.#output.remark(whyNot(state, t));
    }
  }

  #send(line: string, how: { readonly shown: boolean; readonly answer?: boolean }): void {
    if (how.shown) this.#output.closeLine();
    this.#sent.send([line], how);
  }

  #interrupt(): void {
    const { t } = this.#options;
    if (this.#editor.line !== '') {
      this.#editor.discard();
      return;
    }
    if (this.#session.info.status.state === 'broken') {
      this.#output.remark(t('The target is halted already. Type g to let it run.'));
      return;
    }
    this.#session.breakIn(BREAK_TIMEOUT).then(
      (result) => {
        if (result.outcome !== 'refused' && result.outcome !== 'pending') return;
        const { error } = result;
        this.#output.remark(
          error === undefined ? t('The break was asked for and not confirmed yet.') : forPeople(error, t),
        );
      },
      (error: unknown) => this.#output.remark(forPeople(messageOf(error), t)),
    );
    this.#output.remark(t('Breaking in…'));
  }

  dispose(): void {
    this.#disposed = true;
    this.#output.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
    this.#editor.dispose();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
