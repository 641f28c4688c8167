/** Opening a session in WinDbg, and closing it to other debuggers again. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import { HALTED_STATES } from '../kd/model.ts';
import type { Backstage } from './backstage.ts';

const t = vscode.l10n.t;

/** Opens a server of kd for WinDbg and starts WinDbg on it; without WinDbg its command line is offered. */
export async function openInWinDbg(session: Session, backstage: Backstage): Promise<void> {
  const breakAndResume = await mayHalt(session);
  if (breakAndResume === undefined) return;
  const { remote } = await session.share({ breakAndResume });
  if (await backstage.openWinDbg(remote)) return;
  const copy = t('Copy Command Line');
  const choice = await vscode.window.showWarningMessage(
    t(
      'WinDbg was not found. Any debugger can connect to {0} with this command line; it holds a password.',
      session.id,
    ),
    copy,
  );
  if (choice === copy) await vscode.env.clipboard.writeText(`windbg -remote ${remote}`);
}

/** Takes nobody new; who is connected stays until they leave. */
export async function closeToOthers(session: Session): Promise<void> {
  const breakAndResume = await mayHalt(session);
  if (breakAndResume !== undefined) await session.unshare({ breakAndResume });
}

/** kd takes commands only from a halted target. Undefined: the person does not want it halted. */
async function mayHalt(session: Session): Promise<boolean | undefined> {
  const { status, sharing } = session.info;
  if (HALTED_STATES.includes(status.state)) return false;
  const yes = t('Halt for a Moment');
  const choice = await vscode.window.showWarningMessage(
    sharing?.server === undefined
      ? t('{0} runs: to open it to WinDbg it is halted for a moment.', session.id)
      : t('{0} runs: to change who can connect it is halted for a moment.', session.id),
    { modal: true },
    yes,
  );
  return choice === yes ? true : undefined;
}
