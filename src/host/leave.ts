/** What the end of a session asks of its kd: servers first; of a debugger that was joined only what is ours. */
import type { KdEngine } from '../kd/engine.ts';
import type { Actor } from '../kd/model.ts';
import type { SessionCore } from './core.ts';
import { disablingAgents, stillOurs } from './release.ts';

/** The arguments of {@link KdEngine.quit}. */
export function endingOf(
  core: SessionCore,
  guest: 'resume' | 'leave_frozen',
  by: Actor,
): Parameters<KdEngine['quit']> {
  const { server } = core.sharing;
  if (core.facts.transport !== 'remote')
    return [guest, by, server === undefined ? [] : [`.endsrv ${server.number}`]];
  // Their target, their halts and their breakpoints; but a halt of an agent here would stay without an owner.
  const ours = guest === 'resume' && stillOurs(core);
  const disable = disablingAgents(core);
  return [ours ? 'resume' : 'leave_frozen', by, ours && disable !== undefined ? [disable] : []];
}
