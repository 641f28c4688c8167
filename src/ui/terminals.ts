/** One terminal per session. Closing its tab leaves the session alone. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import type { CommandHistory } from './command-history.ts';
import { KdConsole } from './console.ts';
import type { LiveSessions } from './live-sessions.ts';
import { type Log, showError } from './log.ts';
import { askToStop } from './stop.ts';

const t = vscode.l10n.t;

/** The Pseudoterminal of one session: VS Code's side of a {@link KdConsole}. */
class SessionPty implements vscode.Pseudoterminal {
  readonly #write = new vscode.EventEmitter<string>();
  readonly #close = new vscode.EventEmitter<number>();
  readonly #name = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#write.event;
  readonly onDidClose = this.#close.event;
  readonly onDidChangeName = this.#name.event;
  readonly #console: KdConsole;
  readonly #ended: { dispose(): void };
  #columns = 0;

  constructor(session: Session, person: string, history: CommandHistory, log: Log) {
    this.#ended = session.onClose(() => this.#name.fire(t('KD {0} (ended)', session.id)));
    this.#console = new KdConsole({
      session,
      person,
      t,
      history: history.lines,
      onHistory: (line) => history.add(line),
      write: (text) => this.#write.fire(text),
      onQuit: () => void askToStop(session).catch((error: unknown) => showError(log, error)),
      onDetach: () => this.#close.fire(0),
    });
  }

  // Nothing is written before this: the terminal would not show it.
  open(dimensions: vscode.TerminalDimensions | undefined): void {
    if (dimensions !== undefined) this.setDimensions(dimensions);
    void this.#console.open();
  }

  setDimensions(dimensions: vscode.TerminalDimensions): void {
    if (dimensions.columns === this.#columns) return;
    this.#columns = dimensions.columns;
    this.#console.resize(dimensions.columns, dimensions.rows);
  }

  handleInput(keys: string): void {
    this.#console.input(keys);
  }

  close(): void {
    this.#ended.dispose();
    this.#console.dispose();
    this.#name.dispose();
    this.#write.dispose();
    this.#close.dispose();
  }
}

export class SessionTerminals {
  readonly #open = new Map<string, { readonly terminal: vscode.Terminal; readonly session: Session }>();
  readonly #person: string;
  readonly #history: CommandHistory;
  readonly #log: Log;
  readonly #icon: vscode.IconPath;
  readonly #disposables: vscode.Disposable[];

  constructor(sessions: LiveSessions, person: string, history: CommandHistory, log: Log) {
    this.#person = person;
    this.#history = history;
    this.#log = log;
    this.#icon = new vscode.ThemeIcon('debug-console');
    this.#disposables = [
      vscode.window.onDidCloseTerminal((closed) => {
        for (const [id, { terminal }] of this.#open) if (terminal === closed) this.#open.delete(id);
      }),
      vscode.window.onDidChangeActiveTerminal((active) => {
        for (const [id, { terminal }] of this.#open) if (terminal === active) sessions.use(id);
      }),
    ];
  }

  /** Shows the session's terminal, a new one if there is none. */
  show(session: Session, options: { readonly preserveFocus: boolean }): void {
    const known = this.#open.get(session.id);
    if (known?.session === session && known.terminal.exitStatus === undefined) {
      known.terminal.show(options.preserveFocus);
      return;
    }
    // The terminal of a connection that is over shows nothing new.
    known?.terminal.dispose();
    const terminal = vscode.window.createTerminal({
      name: `KD ${session.id}`,
      pty: new SessionPty(session, this.#person, this.#history, this.#log),
      iconPath: this.#icon,
      // A restored one would have no session behind it.
      isTransient: true,
    });
    this.#open.set(session.id, { terminal, session });
    terminal.show(options.preserveFocus);
  }

  /** Closes those of ended sessions that nobody wants to see any more: all but the `kept` ids. */
  closeEnded(kept: readonly string[]): void {
    for (const [id, { terminal, session }] of this.#open)
      if (!session.connected && !kept.includes(id)) terminal.dispose();
  }

  /** The person looks at this session's terminal. */
  isWatched(id: string): boolean {
    return vscode.window.state.focused && this.#open.get(id)?.terminal === vscode.window.activeTerminal;
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    for (const { terminal } of this.#open.values()) terminal.dispose();
  }
}
