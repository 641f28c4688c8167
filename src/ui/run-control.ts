/** Break, go and resume for WinRM, with progress in the status bar and a sentence when they did not do it. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import type { RunControlResult } from '../host/protocol.ts';
import type { Backstage, WinrmReturn } from './backstage.ts';

const t = vscode.l10n.t;

const BREAK_TIMEOUT_MS = 30_000;

async function inStatusBar<T>(title: string, work: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
}

/** A verdict that is no success is told; success shows in the tree and in the status bar. */
function tell(result: RunControlResult): void {
  switch (result.outcome) {
    case 'done':
    case 'already':
    case 'interrupted':
      return;
    case 'stopped-again':
      return;
    case 'pending':
      if (result.info.status.state === 'waiting') {
        void vscode.window.showInformationMessage(
          t('No target is connected to {0} yet. It will be halted as soon as it connects.', result.info.id),
        );
      } else {
        void vscode.window.showWarningMessage(
          t('{0} has not answered yet. The target may hang, or the link is down.', result.info.id),
        );
      }
      return;
    case 'refused':
      throw new Error(result.error ?? t('The debugger refused.'));
  }
}

/** Halts the target, interrupts the running command, or asks for a stop at connect. */
export async function breakIn(session: Session): Promise<void> {
  tell(await inStatusBar(t('Breaking in to {0}', session.id), () => session.breakIn(BREAK_TIMEOUT_MS)));
}

/** Lets the target run. */
export async function go(session: Session): Promise<void> {
  tell(await inStatusBar(t('Resuming {0}', session.id), () => session.go(0)));
}

/** Lets the target run and waits until WinRM answers; the person can stop waiting. */
export async function resumeForWinrm(session: Session, backstage: Backstage): Promise<void> {
  const result = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t('Waiting for WinRM on {0}', session.info.guestHost ?? session.id),
      cancellable: true,
    },
    async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return backstage.resumeForWinrm(session, {
        signal: abort.signal,
        progress: () => {},
      });
    },
  );
  tellWinrm(session, result.end, result.words);
}

function tellWinrm(session: Session, end: WinrmReturn['end'], words: readonly string[]): void {
  const guest = session.info.guestHost ?? session.id;
  switch (end) {
    case 'answers':
      void vscode.window.showInformationMessage(t('WinRM answers on {0}.', guest));
      return;
    case 'silent':
      void vscode.window.showWarningMessage(t('{0} runs, but WinRM does not answer yet.', guest));
      return;
    case 'stopped':
      void vscode.window.showWarningMessage(t('{0} stopped again before WinRM answered.', guest));
      return;
    case 'no-address':
      void vscode.window.showInformationMessage(
        t('{0} runs. The address of the guest is not known, so WinRM was not watched.', session.id),
      );
      return;
    case 'refused':
      throw new Error(words.join(' '));
  }
}
