/** "Run Command…": one line for kd, typed or taken from the history; its output comes in the terminal. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import { effectOf } from '../kd/command.ts';
import type { CommandHistory } from './command-history.ts';
import { COMMAND_TIMEOUT } from './sent-lines.ts';
import { askToStop } from './stop.ts';
import type { SessionTerminals } from './terminals.ts';

const t = vscode.l10n.t;

/** Sent when kd has read it; the output is the terminal's. */
export async function runCommand(
  session: Session,
  terminals: SessionTerminals,
  history: CommandHistory,
): Promise<void> {
  const line = await askLine(session.id, history.lines);
  if (line === undefined) return;
  if (effectOf(line).endsSession) return askToStop(session);
  history.add(line);
  terminals.show(session, { preserveFocus: false });
  await session.command([line], { timeoutMs: COMMAND_TIMEOUT });
}

/** A list whose first row is what is typed, so that Enter always means the typed line unless another row is chosen. */
function askLine(id: string, past: readonly string[]): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick();
  picker.title = t('Run a command in {0}', id);
  picker.placeholder = t('A command of kd, e.g. !analyze -v');
  const fill = () => {
    const typed = picker.value.trim();
    const others = past.filter((line) => line !== typed).map((label) => ({ label, iconPath: PAST }));
    picker.items = typed === '' ? others : [{ label: typed, alwaysShow: true }, ...others];
  };
  fill();
  return new Promise((settle) => {
    picker.onDidChangeValue(fill);
    picker.onDidAccept(() => {
      settle(picker.activeItems[0]?.label);
      picker.hide();
    });
    picker.onDidHide(() => {
      settle(undefined);
      picker.dispose();
    });
    picker.show();
  });
}

const PAST = new vscode.ThemeIcon('history');
