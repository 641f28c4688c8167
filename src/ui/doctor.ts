/** "Doctor": what a session needs, checked, as a page that a person can read. */
import * as vscode from 'vscode';
import type { Check } from '../tools/checks.ts';
import { doctorReport } from './doctor-report.ts';

const t = vscode.l10n.t;

const SCHEME = 'kd-doctor';
const REPORT = vscode.Uri.from({ scheme: SCHEME, path: `/${t('KD Doctor')}.md` });

export class Doctor implements vscode.TextDocumentContentProvider {
  readonly #check: () => Promise<readonly Check[]>;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registered: vscode.Disposable;
  #report = '';

  constructor(check: () => Promise<readonly Check[]>) {
    this.#check = check;
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(): string {
    return this.#report;
  }

  /** Checks, then shows the page. */
  async run(): Promise<void> {
    const checks = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: t('Checking what a session needs') },
      this.#check,
    );
    this.#report = doctorReport(checks, t);
    this.#changed.fire(REPORT);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', REPORT);
    } catch {
      // Markdown is switched off: its text reads well, too.
      await vscode.window.showTextDocument(REPORT, { preview: true });
    }
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}
