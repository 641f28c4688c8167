/** How an {@link Alert} is told: one sentence with one or two actions. */
import * as vscode from 'vscode';
import { mayBeFrozen } from '../host/forsaken.ts';
import type { Alert } from './alerts.ts';
import { duration } from './duration.ts';
import { endedKey } from './ended-sessions.ts';
import { forPeople } from './for-people.ts';
import type { LiveSessions } from './live-sessions.ts';
import { type Log, showError } from './log.ts';
import { eventWords } from './words.ts';

const t = vscode.l10n.t;

type Action = readonly [label: string, act: () => unknown];

/** Text of the target must not become a link in a notification. */
const plain = (text: string): string => text.replace(/[[\]]/g, '');

/** Calls the command on a session of the tree. */
const run = (command: string, id: string) => () =>
  vscode.commands.executeCommand(command, { kind: 'session', id });
const runEnded = (command: string, key: string) => () =>
  vscode.commands.executeCommand(command, { kind: 'ended', key });

export function createNotifier(sessions: LiveSessions, log: Log): (alert: Alert) => void {
  const tell = (
    show: (message: string, ...labels: string[]) => Thenable<string | undefined>,
    message: string,
    actions: readonly Action[],
  ): void => {
    log.info(message);
    show(message, ...actions.map(([label]) => label))
      .then((choice) => actions.find(([label]) => label === choice)?.[1]())
      .then(undefined, (error: unknown) => showError(log, error));
  };
  return (alert) => {
    switch (alert.kind) {
      case 'stopped': {
        const { id } = alert.info;
        const words = plain(eventWords(alert.halt.event, t));
        const open: Action = [t('Open Terminal'), run('kdMcp.openTerminal', id)];
        if (alert.halt.event.kind === 'bugcheck') {
          const analyze = async () => {
            await run('kdMcp.openTerminal', id)();
            await sessions.find(id)?.command(['!analyze -v'], { timeoutMs: ANALYZE_MS });
          };
          tell(
            vscode.window.showErrorMessage,
            t('{0} crashed: {1}. The guest is frozen, the crash can be examined.', id, words),
            [[t('Analyze'), analyze], open],
          );
          return;
        }
        tell(
          vscode.window.showWarningMessage,
          t('{0} stopped by itself: {1}. The guest is frozen.', id, words),
          [open, [t('Go'), run('kdMcp.go', id)]],
        );
        return;
      }
      case 'lease': {
        const { id } = alert.info;
        tell(
          vscode.window.showWarningMessage,
          t('{0} resumes in {1}: its halt was not used lately.', id, duration(alert.leftMs, t)),
          [
            [t('Keep Halted'), run('kdMcp.pin', id)],
            [t('Go'), run('kdMcp.go', id)],
          ],
        );
        return;
      }
      case 'lost': {
        const { record } = alert;
        const key = endedKey(record);
        const message = t(
          'Session {0} was lost. {1}',
          record.id,
          plain(forPeople(record.ended?.reason ?? '', t)),
        );
        const transcript: Action = [t('Open Transcript'), runEnded('kdMcp.openTranscript', key)];
        if (mayBeFrozen(record)) {
          tell(vscode.window.showErrorMessage, message, [
            [t('Rescue Guest'), runEnded('kdMcp.rescue', key)],
            transcript,
          ]);
        } else tell(vscode.window.showWarningMessage, message, [transcript]);
        return;
      }
    }
  };
}

/** A guest was rescued without asking. */
export function tellRescued(id: string): void {
  void vscode.window.showInformationMessage(t('The guest of {0} was frozen and runs again.', id));
}

/** It loads symbols; its output comes into the terminal as it arrives. */
const ANALYZE_MS = 30 * 60_000;
