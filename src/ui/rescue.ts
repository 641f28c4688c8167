/** "Rescue Frozen Guest": lets a guest run again that a lost session left frozen. */
import * as vscode from 'vscode';
import { keyProblem } from '../kd/kdnet-key.ts';
import type { Backstage, FrozenGuest } from './backstage.ts';

const t = vscode.l10n.t;

/** `wanted`: the ended session's id; without it the only one, or one the person picks. */
export async function rescueGuest(
  backstage: Backstage,
  secrets: vscode.SecretStorage,
  wanted: string | undefined,
): Promise<void> {
  const found = await backstage.frozenGuests();
  const guest = wanted === undefined ? await pick(found) : found.find(({ id }) => id === wanted);
  if (guest === undefined) {
    if (wanted !== undefined || found.length === 0)
      void vscode.window.showInformationMessage(t('KD: No guest is known to be frozen.'));
    return;
  }
  const key = guest.needsKey ? await keyOf(guest, secrets) : undefined;
  if (guest.needsKey && key === undefined) return;
  if (guest.ask !== undefined && !guest.needsKey && !(await confirmed(guest))) return;
  const report = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t('Looking for the guest of {0}', guest.id) },
    () => backstage.rescue(guest.id, key),
  );
  switch (report.outcome) {
    case 'resumed':
      void vscode.window.showInformationMessage(t('The guest of {0} was frozen and runs again.', guest.id));
      return;
    case 'was-running':
      void vscode.window.showInformationMessage(t('The guest of {0} was not frozen; it runs.', guest.id));
      return;
    case 'no-answer':
      void vscode.window.showWarningMessage(
        t('Nothing was heard of the guest of {0}. It is off, or its network does not reach here.', guest.id),
      );
      return;
    case 'ask':
    case 'failed':
      throw new Error(report.detail);
  }
}

async function pick(found: readonly FrozenGuest[]): Promise<FrozenGuest | undefined> {
  const [only, ...others] = found;
  if (others.length === 0) return only;
  const items = found.map((guest) => ({ label: guest.id, description: guest.title, guest }));
  return (await vscode.window.showQuickPick(items, { placeHolder: t('Which guest should run again?') }))
    ?.guest;
}

async function confirmed(guest: FrozenGuest): Promise<boolean> {
  const yes = t('Resume Guest');
  const choice = await vscode.window.showWarningMessage(
    t('Let the guest of {0} run again?', guest.id),
    { modal: true, ...(guest.ask === undefined ? {} : { detail: guest.ask }) },
    yes,
  );
  return choice === yes;
}

/** From where "Start…" keeps it, or from the person. */
async function keyOf(guest: FrozenGuest, secrets: vscode.SecretStorage): Promise<string | undefined> {
  const kept = guest.port === undefined ? undefined : await secrets.get(secretName(guest.port));
  if (kept !== undefined) return kept;
  return vscode.window.showInputBox({
    title: t('Rescue the guest of {0}', guest.id),
    prompt: t('Its KDNET key is not known any more: w.x.y.z'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => keyProblem(text.trim()),
  });
}

/** Name under which the key of a KDNET port is kept in SecretStorage. */
export const secretName = (port: number): string => `kdMcp.key.${port}`;
