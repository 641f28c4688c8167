/**
 * A person's console on a session: the live transcript above, a line being edited below. No VS Code in here.
 *
 * What everybody sends is shown, an agent's commands dimmed and with its name. Text of the target is neutralised before
 * it is written. Output is gathered for one frame and written in slices, so that a flood neither redraws the edited
 * line per fragment nor blocks the window.
 */

import { neutralise } from '../client/neutralise.ts';
import type { Session } from '../client/sessions.ts';
import type { OutputRole, SessionInfo } from '../host/protocol.ts';
import { effectOf } from '../kd/command.ts';
import type { Translate } from './l10n.ts';
import { LineEditor } from './line-editor.ts';
import { OutputQueue } from './output-queue.ts';

const DIM = '\x1b[2m';
const ITALIC = '\x1b[2;3m';
const BOLD = '\x1b[1m';
const RESET = '\x1b[0m';

/** Older transcript that a new console shows, bytes. */
const BACKLOG = 256 * 1024;
/** An output line without an end is shown as the prompt's prefix up to this length, then broken. */
const LONGEST_OPEN_LINE = 2000;
/** Output is gathered this long before it is drawn, ms. */
const FRAME = 15;
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
  /** Complete, styled lines that are not on the screen yet. */
  readonly #queue: OutputQueue;
  /** The last line of the transcript, which has no end yet: kd's prompt, or a line in the making. */
  #openLine = '';
  /** Commands sent from here that the transcript has not shown yet: readline has echoed them already. */
  readonly #echoes: string[] = [];
  #frame: NodeJS.Timeout | undefined;
  #burst: NodeJS.Immediate | undefined;
  #touched = 0;
  #disposed = false;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#session = options.session;
    const { t } = options;
    this.#queue = new OutputQueue((characters) =>
      t('{0} characters skipped here; the transcript has them.', characters),
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
    if (this.#frame !== undefined) this.#flush();
    this.#editor.input(keys);
  }

  resize(columns: number, rows: number): void {
    this.#editor.resize(columns, rows);
  }

  #piece(text: string, role: OutputRole): void {
    switch (role.kind) {
      case 'kd':
        this.#append(neutralise(text));
        return;
      case 'prompt':
        this.#append(neutralise(text), BOLD);
        return;
      case 'remark':
        this.#append(neutralise(text), ITALIC);
        return;
      case 'command': {
        const line = text.replace(/\r?\n$/, '');
        if (role.by.kind === 'person' && role.by.name === this.#options.person) {
          const echoed = this.#echoes.indexOf(line);
          if (echoed >= 0) {
            this.#echoes.splice(echoed, 1);
            this.#openLine = '';
            this.#schedule();
            return;
          }
        }
        const author = role.by.kind === 'person' ? '' : `  ${DIM}\u25c2 ${neutralise(role.by.name)}${RESET}`;
        const style = role.by.kind === 'person' ? '' : DIM;
        this.#append(`${style}${neutralise(line)}${style === '' ? '' : RESET}${author}\n`);
        return;
      }
    }
  }

  /** Adds text behind what there is; `style` holds for each of its lines. */
  #append(text: string, style = ''): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const dress = (line: string) => (style === '' || line === '' ? line : `${style}${line}${RESET}`);
    for (const line of lines) {
      this.#queue.add(`${this.#openLine}${dress(line)}\r\n`);
      this.#openLine = '';
    }
    this.#openLine += dress(last);
    if (this.#openLine.length > LONGEST_OPEN_LINE) {
      this.#queue.add(`${this.#openLine}\r\n`);
      this.#openLine = '';
    }
    this.#schedule();
  }

  /** A line of this console's own, never part of the transcript. */
  #remark(text: string): void {
    const open = this.#openLine;
    this.#openLine = '';
    this.#queue.add(`${ITALIC}${neutralise(text)}${RESET}\r\n`);
    this.#openLine = open;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#disposed || this.#burst !== undefined) return;
    this.#frame ??= setTimeout(() => this.#flush(), FRAME);
  }

  /** Writes one slice; the others follow without holding up keys or the window. */
  #flush(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#burst = undefined;
    if (this.#disposed) return;
    this.#editor.print(this.#queue.take(), this.#openLine);
    if (!this.#queue.empty) this.#burst = setImmediate(() => this.#flush());
  }

  #enter(line: string): void {
    const { session, t } = this.#options;
    const { state } = session.info.status;
    // readline has moved to a new line: what stood before the typed text is on the screen for good.
    this.#openLine = state === 'broken' ? this.#openLine : '';
    if (state === 'asking') {
      this.#send(line, true);
    } else if (line.trim() === '') {
      // kd would repeat the last command; a person who presses Enter here only wants a new line.
      this.#schedule();
    } else if (state === 'broken' || state === 'busy') {
      this.#options.onHistory?.(line);
      if (effectOf(line).endsSession) {
        this.#schedule();
        this.#options.onQuit();
        return;
      }
      if (state === 'busy') this.#remark(t('Queued behind {0}', this.#busyWith(session.info)));
      this.#send(line, false);
    } else {
      this.#remark(this.#whyNot(session.info));
    }
  }

  #send(line: string, answer: boolean): void {
    const { t } = this.#options;
    this.#openLine = '';
    this.#echoes.push(line);
    this.#session.command([line], { timeoutMs: COMMAND_TIMEOUT, ...(answer ? { answer } : {}) }).then(
      ({ results }) => {
        if (results.some((result) => result.outcome === 'dropped')) {
          this.#forget(line);
          this.#remark(t('Not sent, the target was resumed before: {0}', line));
        }
      },
      (error: unknown) => {
        this.#forget(line);
        this.#remark(message(error));
      },
    );
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
    clearTimeout(this.#frame);
    clearImmediate(this.#burst);
    for (const disposable of this.#disposables) disposable.dispose();
    this.#editor.dispose();
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
