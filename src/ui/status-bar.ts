/** Two items: what the current session does (click: actions), and the toggle break ⇄ go. Hidden without a session. */
import * as vscode from 'vscode';
import type { KdState } from '../kd/model.ts';
import type { LiveSessions } from './live-sessions.ts';
import { statusText } from './session-look.ts';

const t = vscode.l10n.t;

/** What the toggle offers in a state. */
export function toggleFor(state: KdState): 'break' | 'go' | undefined {
  switch (state) {
    case 'running':
    case 'waiting':
    case 'busy':
    case 'asking':
      return 'break';
    case 'broken':
      return 'go';
    case 'starting':
    case 'breaking':
    case 'ended':
      return undefined;
  }
}

export class StatusBar {
  readonly #sessions: LiveSessions;
  readonly #state = vscode.window.createStatusBarItem('kdMcp.state', vscode.StatusBarAlignment.Left, 100);
  readonly #toggle = vscode.window.createStatusBarItem('kdMcp.toggle', vscode.StatusBarAlignment.Left, 99);
  readonly #disposables: { dispose(): void }[];

  constructor(sessions: LiveSessions) {
    this.#sessions = sessions;
    this.#state.name = t('KD Session');
    this.#state.command = 'kdMcp.showActions';
    this.#toggle.name = t('KD Break or Go');
    const clock = setInterval(() => this.#draw(), 1000);
    this.#disposables = [
      sessions.onChange(() => this.#draw()),
      { dispose: () => clearInterval(clock) },
      this.#state,
      this.#toggle,
    ];
    this.#draw();
  }

  /** What it shows, for tests. */
  get texts(): readonly string[] {
    return [this.#state.text, this.#toggle.text];
  }

  #draw(): void {
    const session = this.#sessions.current;
    if (session === undefined) {
      this.#state.hide();
      this.#toggle.hide();
      return;
    }
    const { text, spoken } = statusText(session.info, Date.now(), t);
    if (this.#state.text !== text) {
      this.#state.text = text;
      this.#state.accessibilityInformation = { label: spoken };
      this.#state.tooltip = t('{0}. Click for actions.', session.info.title);
    }
    this.#state.show();
    const toggle = toggleFor(session.info.status.state);
    if (toggle === undefined) {
      this.#toggle.hide();
      return;
    }
    const breaks = toggle === 'break';
    this.#toggle.text = breaks ? `$(debug-pause) ${t('Break')}` : `$(debug-continue) ${t('Go')}`;
    this.#toggle.tooltip = breaks ? t('Halt the target (break in)') : t('Let the target run (go)');
    this.#toggle.command = breaks ? 'kdMcp.breakIn' : 'kdMcp.go';
    this.#toggle.show();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
