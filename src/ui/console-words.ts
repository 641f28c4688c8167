/** What a console says when kd does not take a line now. */
import type { SessionInfo } from '../host/protocol.ts';
import type { KdState } from '../kd/model.ts';
import type { Translate } from './l10n.ts';

/** kd reads commands in these states: at once, or after the one that runs. */
export const takesCommands = (state: KdState): boolean => state === 'broken' || state === 'busy';

/** Why a line is not sent, and what the person can do. */
export function whyNot(state: KdState, t: Translate): string {
  switch (state) {
    case 'running':
      return t('The target runs and kd reads no command. Press Ctrl+C to break in.');
    case 'ended':
      return t('kd is gone; nothing can be sent any more.');
    case 'breaking':
      return t('A break is on its way; wait for the prompt.');
    default:
      return t('No target yet. Press Ctrl+C to stop it as soon as it connects.');
  }
}

/** What a line has to wait for. */
export function busyWith({ status: { command } }: SessionInfo, t: Translate): string {
  return command === undefined ? t('another command') : `${command.text} (${command.by.name})`;
}
