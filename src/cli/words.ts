/** What a person at a terminal is told. */
import type { SessionStatus } from '../kd/model.ts';

/** `net-50000 has ended: the session was stopped and the guest resumed (guest: running)`. */
export function endWords(id: string, guest: string, detail: string): string {
  return `${id} has ended${detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`} (guest: ${guest})`;
}

/** Why kd reads no line now, and what a person can do about it. */
export function whyNotNow({ state, linked }: SessionStatus): string | undefined {
  switch (state) {
    case 'broken':
    case 'busy':
    case 'asking':
      return undefined;
    case 'breaking':
      return 'A break is on its way: wait for the prompt.';
    case 'starting':
    case 'waiting':
      if (!linked) return 'No target yet. Ctrl+C stops it as soon as it connects.';
      return 'The target runs and kd reads no command. Ctrl+C breaks in.';
    case 'running':
      return 'The target runs and kd reads no command. Ctrl+C breaks in.';
    case 'ended':
      return 'kd is gone: nothing can be sent any more.';
  }
}
