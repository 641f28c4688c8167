/**
 * Which of kd's lines are believed when. A target prints what it likes, and so does `.echo`: a line counts only where
 * kd itself could say it. What is not believed is still shown.
 */
import type { ConsoleEvent } from './events.ts';
import type { SessionStatus } from './model.ts';
import { isHalted } from './status-board.ts';

/** Whether `event` can be kd's own in this state. */
export function believable(event: ConsoleEvent, status: SessionStatus): boolean {
  const { state, generation, linked } = status;
  switch (event.kind) {
    case 'version':
      return state === 'starting';
    case 'port-in-use':
    case 'open-failed':
    case 'init-failed':
      return (state === 'starting' || state === 'waiting') && generation === 0;
    case 'linked':
      // A new link is told only after the loss of the old one (engine.md §5).
      return !linked && !isHalted(status);
    case 'target':
    case 'established':
    case 'kernel':
    case 'kernel-base':
      // `.reload` and `vertarget` print some of these again.
      return !isHalted(status);
    default:
      return true;
  }
}
