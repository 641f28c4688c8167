/** The log of the extension and the one way to tell the person about an error. */
import * as vscode from 'vscode';
import { forPeople } from './for-people.ts';

const t = vscode.l10n.t;

export type Log = vscode.LogOutputChannel;

export function createLog(): Log {
  return vscode.window.createOutputChannel('KD-MCP', { log: true });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error with a way to the log. Not awaited by anybody: the message stays until the person closes it. */
export function showError(log: Log, error: unknown): void {
  const message = messageOf(error);
  log.error(message);
  const showLog = t('Show Log');
  void vscode.window.showErrorMessage(`KD: ${forPeople(message, t)}`, showLog).then((choice) => {
    if (choice === showLog) log.show();
  });
}
