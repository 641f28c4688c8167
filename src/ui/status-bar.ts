/**
 * What the current session does (click: actions), the toggle break ⇄ go, and the way back to WinRM while halted. Hidden
 * without a session.
 */
import * as vscode from 'vscode';
import type { KdState } from '../kd/model.ts';
import type { LiveSessions } from './live-sessions.ts';
import { statusText } from './session-look.ts';
import { ownSettings } from './settings.ts';

const t = vscode.l10n.t;

/** Status items have no others (vscode.md §2). */
const BACKGROUNDS = {
  warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
  error: new vscode.ThemeColor('statusBarItem.errorBackground'),
} as const;

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
  readonly #winrm = vscode.window.createStatusBarItem('kdMcp.winrm', vscode.StatusBarAlignment.Left, 98);
  readonly #disposables: { dispose(): void }[];

  constructor(sessions: LiveSessions) {
    this.#sessions = sessions;
    this.#state.name = t('KD Session');
    this.#state.command = 'kdMcp.showActions';
    this.#toggle.name = t('KD Break or Go');
    this.#winrm.name = t('KD Resume for WinRM');
    this.#winrm.text = '$(remote) WinRM';
    this.#winrm.tooltip = t('Let the target run and wait until WinRM answers');
    this.#winrm.command = 'kdMcp.resumeForWinrm';
    const clock = setInterval(() => this.#draw(), 1000);
    this.#disposables = [
      sessions.onChange(() => this.#draw()),
      { dispose: () => clearInterval(clock) },
      this.#state,
      this.#toggle,
      this.#winrm,
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
      this.#winrm.hide();
      return;
    }
    const { text, spoken, alarm } = statusText(session.info, Date.now(), t, ownSettings().haltWarningSec);
    const background = alarm === undefined ? undefined : BACKGROUNDS[alarm];
    if (this.#state.backgroundColor !== background) this.#state.backgroundColor = background;
    if (this.#state.text !== text) {
      this.#state.text = text;
      this.#state.accessibilityInformation = { label: spoken };
      this.#state.tooltip = t('{0}. Click for actions.', session.info.title);
    }
    this.#state.show();
    if (session.info.status.state === 'broken' && session.info.transport !== 'dump') this.#winrm.show();
    else this.#winrm.hide();
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
