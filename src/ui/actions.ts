/** What a click on the status bar offers: the actions that a session's state allows. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import { HALTED_STATES, type KdState } from '../kd/model.ts';
import { takesCommands } from './console-words.ts';
import { statusText } from './session-look.ts';

const t = vscode.l10n.t;

/** The states in which a command of this window makes sense. */
export const CAN_BREAK: readonly KdState[] = ['starting', 'waiting', 'running', 'busy', 'asking'];
export const CAN_GO: readonly KdState[] = ['broken'];

type Action = vscode.QuickPickItem & { readonly command?: string };

export async function showActions(session: Session | undefined): Promise<void> {
  if (session === undefined) return;
  const { info } = session;
  const { state } = info.status;
  const actions: Action[] = [];
  const offer = (icon: string, label: string, command: string) =>
    actions.push({ label: `$(${icon}) ${label}`, command });
  if (CAN_GO.includes(state)) {
    offer('debug-continue', t('Go'), 'kdMcp.go');
    offer('remote', t('Resume for WinRM'), 'kdMcp.resumeForWinrm');
  }
  if (CAN_BREAK.includes(state)) offer('debug-pause', t('Break'), 'kdMcp.breakIn');
  if (HALTED_STATES.includes(state)) {
    if (info.pinnedBy === undefined) offer('pin', t('Pin Halt'), 'kdMcp.pin');
    else offer('pinned', t('Unpin Halt'), 'kdMcp.unpin');
  }
  if (info.controlledBy === undefined) offer('lock', t('Take Control'), 'kdMcp.takeControl');
  else offer('unlock', t('Release Control'), 'kdMcp.releaseControl');
  actions.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  if (takesCommands(state)) offer('chevron-right', t('Run Command…'), 'kdMcp.runCommand');
  offer('terminal', t('Open Terminal'), 'kdMcp.openTerminal');
  offer('output', t('Open Transcript'), 'kdMcp.openTranscript');
  actions.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  offer('debug-stop', t('Stop Session (Resume Guest)'), 'kdMcp.stop');
  offer('debug-disconnect', t('Stop Session, Leave Guest Frozen'), 'kdMcp.stopFrozen');
  const choice = await vscode.window.showQuickPick(actions, {
    title: `${statusText(info, Date.now(), t).text.replace(/^\$\([^)]*\) /, '')} · ${info.title}`,
    placeHolder: t('Choose an action for {0}', session.id),
  });
  if (choice?.command !== undefined)
    await vscode.commands.executeCommand(choice.command, { kind: 'session', id: session.id });
}
