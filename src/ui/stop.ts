/** Ending a session: the guest always runs on unless a person says otherwise. */
import * as vscode from 'vscode';
import type { Session } from '../client/sessions.ts';
import { forPeople } from './for-people.ts';

const t = vscode.l10n.t;

/** Ends the session for everybody; the guest runs on, or stays frozen on a person's word. */
export async function stop(session: Session, guest: 'resume' | 'leave_frozen'): Promise<void> {
  const result = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Stopping {0}', session.id) },
    () => session.stop(guest),
  );
  if (guest === 'resume' && result.guest === 'frozen') {
    void vscode.window.showWarningMessage(
      t('{0} has ended and its guest is still frozen. {1}', session.id, forPeople(result.detail, t)),
    );
  }
}

/** Asks before it leaves a guest frozen. */
export async function stopFrozen(session: Session): Promise<void> {
  const yes = t('Leave Frozen');
  const choice = await vscode.window.showWarningMessage(
    t('Stop {0} and leave its guest frozen?', session.id),
    { modal: true, detail: t('The guest does not run until a debugger attaches again and resumes it.') },
    yes,
  );
  if (choice === yes) await stop(session, 'leave_frozen');
}

/** A typed `q`, `qq` or `qd` would end kd for everybody, and `q` leaves the guest frozen: what is meant? */
export async function askToStop(session: Session): Promise<void> {
  const resume = t('Resume Guest');
  const frozen = t('Leave Frozen');
  const choice = await vscode.window.showWarningMessage(
    t('Stop {0} for everybody?', session.id),
    { modal: true, detail: t('The guest can run on, or stay frozen until a debugger attaches again.') },
    resume,
    frozen,
  );
  if (choice === resume) await stop(session, 'resume');
  if (choice === frozen) await stop(session, 'leave_frozen');
}
