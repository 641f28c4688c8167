/** The `level` request: what agents may do in this session from now on. */
import type { SessionCore } from './core.ts';
import type { ClientIdentity, Level, SessionInfo } from './protocol.ts';
import { requireAlive } from './refusals.ts';

/** Everybody is told, and the transcript says who did it. @throws when an agent raises it */
export function setLevel(core: SessionCore, by: ClientIdentity, level: Level): SessionInfo {
  requireAlive(core);
  const before = core.permission.level;
  core.permission.setLevel(level, by);
  if (level !== before)
    core.remark(
      `${by.name} set the level of agents from ${before} to ${level}.${unchanged(before, level)}`,
      by,
    );
  core.recordChanged();
  core.tellChanged();
  return core.info();
}

/** What this does not change. */
function unchanged(before: Level, now: Level): string {
  if (now === 'unrestricted') return ' kd was started with -noshell: .shell stays off.';
  if (before === 'unrestricted')
    return ' What was set up before stays: aliases (ad * removes them), breakpoints.';
  return '';
}
