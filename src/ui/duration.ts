/** How long something has lasted, as short as a status bar wants it. */
import type { Translate } from './l10n.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `12 s`, `4 min`, `2 h 5 min`, `3 d`. Rounds down, never below zero. */
export function duration(ms: number, t: Translate): string {
  if (ms < MINUTE) return t('{0} s', Math.max(0, Math.floor(ms / SECOND)));
  if (ms < HOUR) return t('{0} min', Math.floor(ms / MINUTE));
  if (ms < DAY) return t('{0} h {1} min', Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE));
  return t('{0} d', Math.floor(ms / DAY));
}
