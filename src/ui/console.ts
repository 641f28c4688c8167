/**
 * A person's console on a session: the live transcript above, a line being edited below. No VS Code in here.
 *
 * What everybody sends is shown, an agent's commands dimmed and with its name. Text of the target is neutralised before
 * it is written.
 */

import type { Session } from '../client/sessions.ts';
import type { OutputRole, SessionInfo } from '../host/protocol.ts';
import { effectOf, splitLines } from '../kd/command.ts';
import { ConsoleOutput } from './console-output.ts';
import type { Translate } from './l10n.ts';
import { LineEditor } from './line-editor.ts';
import { MARK_PASTES, PasteReader } from './paste.ts';

/** Older transcript that a new console shows, bytes. */
const BACKLOG = 256 * 1024;
/** So many pasted lines are shown before they are sent. */
const SHOWN_LINES = 10;
/** How long a command typed here may take until its request is given up; its output keeps coming all the same. */
const COMMAND_TIMEOUT = 24 * 3600 * 1000;
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
  /** Pasted lines that wait for the person's word. */
  #pasted: readonly string[] | undefined;
  /** Commands sent from here that the transcript has not shown yet: readline has echoed them already. */
  readonly #echoes: string[] = [];
  #touched = 0;
  #disposed = false;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#session = options.session;
    const { t } = options;
    this.#output = new ConsoleOutput(
      (text, openLine) => this.#editor.print(text, openLine),
      (characters) => t('{0} characters skipped here; the transcript has them.', characters),
    );
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
    if (from > 0) this.#remark(t('Earlier output is in the transcript: {0}', session.info.transcriptPath));
    this.#disposables.push(
      session.onClose(() => {
        // When it ended in order, the transcript's last line has said so.
        if (session.info.status.state !== 'ended') this.#remark(t('The session is gone.'));
        this.#remark(t('Transcript: {0}', session.info.transcriptPath));
      }),
    );
    try {
      const following = await session.follow(from, (piece) => this.#piece(piece.text, piece.role));
      if (this.#disposed) following.dispose();
      else this.#disposables.push(following);
    } catch (error) {
      this.#remark(message(error));
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
      if (this.#pasted !== undefined) this.#decide(this.#pasted, kind === 'typed' ? text : '');
      else if (kind === 'typed') this.#editor.input(text);
      else this.#paste(text);
    }
  }

  resize(columns: number, rows: number): void {
    this.#editor.resize(columns, rows);
  }

  #piece(text: string, role: OutputRole): void {
    if (role.kind === 'command' && role.by.kind === 'person' && role.by.name === this.#options.person) {
      const echoed = this.#echoes.indexOf(text.replace(/\r?\n$/, ''));
      if (echoed >= 0) {
        this.#echoes.splice(echoed, 1);
        this.#output.closeLine();
        this.#output.schedule();
        return;
      }
    }
    this.#output.add(text, role);
  }

  /** One line is as if typed, its Enter is left to the person; several are not sent before the person has seen them. */
  #paste(text: string): void {
    const { t } = this.#options;
    const lines = splitLines(text);
    const [first = '', ...more] = lines;
    if (more.length === 0) {
      this.#editor.input(first);
      return;
    }
    this.#pasted = lines;
    for (const line of lines.slice(0, SHOWN_LINES)) this.#output.remark(`  ${line}`);
    if (lines.length > SHOWN_LINES) this.#output.remark('  …');
    this.#output.remark(
      t('{0} lines pasted. Enter runs them one after the other, any other key discards them.', lines.length),
    );
  }

  #decide(lines: readonly string[], keys: string): void {
    this.#pasted = undefined;
    const { session, t } = this.#options;
    const { state } = session.info.status;
    if (!/^[\r\n]/.test(keys)) this.#output.remark(t('Discarded.'));
    else if (lines.some((line) => effectOf(line).endsSession)) this.#options.onQuit();
    else if (state !== 'broken' && state !== 'busy') this.#output.remark(this.#whyNot(session.info));
    else this.#send(lines, { shown: false });
  }

  #enter(line: string): void {
    const { session, t } = this.#options;
    const { state } = session.info.status;
    // readline has moved to a new line: what stood before the typed text is on the screen for good.
    if (state !== 'broken') this.#output.closeLine();
    if (state === 'asking') {
      this.#send([line], { shown: true, answer: true });
    } else if (line.trim() === '') {
      // kd would repeat the last command; a person who presses Enter here only wants a new line.
      this.#output.schedule();
    } else if (state === 'broken' || state === 'busy') {
      this.#options.onHistory?.(line);
      if (effectOf(line).endsSession) {
        this.#output.schedule();
        this.#options.onQuit();
        return;
      }
      if (state === 'busy') this.#remark(t('Queued behind {0}', this.#busyWith(session.info)));
      // A queued one is shown where it runs, with its output.
      this.#send([line], { shown: state === 'broken' });
    } else {
      this.#remark(this.#whyNot(session.info));
    }
  }

  /** `shown`: it stands on the screen, as it was typed. */
  #send(lines: readonly string[], { shown, answer = false }: { shown: boolean; answer?: boolean }): void {
    const { t } = this.#options;
    if (shown) {
      this.#output.closeLine();
      this.#echoes.push(...lines);
    }
    this.#session.command(lines, { timeoutMs: COMMAND_TIMEOUT, ...(answer ? { answer } : {}) }).then(
      ({ results }) => {
        for (const dropped of results.filter((result) => result.outcome === 'dropped')) {
          this.#forget(dropped.text);
          this.#remark(t('Not sent, the target was resumed before: {0}', dropped.text));
        }
      },
      (error: unknown) => {
        if (shown) for (const line of lines) this.#forget(line);
        this.#remark(message(error));
      },
    );
  }

  #remark(text: string): void {
    this.#output.remark(text);
  }

  #forget(line: string): void {
    const index = this.#echoes.indexOf(line);
    if (index >= 0) this.#echoes.splice(index, 1);
  }

  #interrupt(): void {
    const { t } = this.#options;
    if (this.#editor.line !== '') {
      this.#editor.discard();
      return;
    }
    if (this.#session.info.status.state === 'broken') {
      this.#remark(t('The target is halted already. Type g to let it run.'));
      return;
    }
    this.#session.breakIn(BREAK_TIMEOUT).then(
      (result) => {
        if (result.outcome === 'refused' || result.outcome === 'pending') {
          this.#remark(result.error ?? t('The break was asked for and not confirmed yet.'));
        }
      },
      (error: unknown) => this.#remark(message(error)),
    );
    this.#remark(t('Breaking in…'));
  }

  #busyWith(info: SessionInfo): string {
    const { t } = this.#options;
    const command = info.status.command;
    return command === undefined ? t('another command') : `${command.text} (${command.by.name})`;
  }

  #whyNot(info: SessionInfo): string {
    const { t } = this.#options;
    switch (info.status.state) {
      case 'running':
        return t('The target runs and kd reads no command. Press Ctrl+C to break in.');
      case 'ended':
        return t('kd is gone; nothing can be sent any more.');
      case 'breaking':
        return t('A break is on its way; wait for the prompt.');
      default:
        return t('No target yet. Press Ctrl+C to stop it as soon as it connects.');
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#output.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
    this.#editor.dispose();
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
