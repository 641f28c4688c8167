/**
 * How a session ends without leaving the guest frozen by accident (kd-behaviour.md §6.3).
 *
 * resume = break in, clear breakpoints, wait out a break request that kd still owes, `qd`.
 * leave_frozen = break in, `q`.
 */
import type { Transport } from './connection.ts';
import type { Confirmation, RunningCommand } from './engine.ts';
import type { Actor, KdExit } from './model.ts';
import { hasEnded, isHalted, type StatusBoard } from './status-board.ts';
import type { Stops } from './stops.ts';

/** How long kd gets for each step of its end, ms. */
const PATIENCE_MS = 10_000;
/** An owed break shows within this time after `g`. */
const OWED_MS = 1_000;

/** What an ending needs of the session. */
export interface Endable {
  readonly board: StatusBoard;
  readonly stops: Stops;
  readonly transport: Transport;
  breakIn(by: Actor, timeoutMs: number): Promise<Confirmation>;
  run(text: string, by: Actor): RunningCommand;
  go(by: Actor): Promise<Confirmation>;
  write(text: string): void;
  /** Says beforehand what kd's exit will mean. */
  expectExit(reason: string, target: KdExit['target']): void;
  kill(reason: string, target: KdExit['target']): void;
}

/** Sees to it that kd ends. Returns when it has been told to, or killed. */
export async function end(
  session: Endable,
  guest: 'resume' | 'leave_frozen',
  by: Actor,
  first: readonly string[],
): Promise<void> {
  const { board } = session;
  if (hasEnded(board.status)) return;
  if (session.transport === 'remote') return leaveRemote(session, guest, by, first);
  const { state, linked } = board.status;
  if ((state === 'starting' || state === 'waiting') && !linked) {
    session.kill('it was stopped while no target was connected', 'absent');
    return;
  }
  const stopped = await session.breakIn(by, PATIENCE_MS);
  if (hasEnded(board.status)) return;
  if (!stopped.ok || board.status.state !== 'broken') {
    const halted = isHalted(board.status);
    session.kill(
      halted
        ? 'its command did not end, so kd was ended; the guest is left frozen'
        : 'the target did not answer a break, so kd was ended; the guest is left as it was',
      halted ? 'halted' : 'unknown',
    );
    return;
  }
  // A dump does not run, and the local kernel never stopped.
  const dead = session.transport === 'dump' || session.transport === 'local';
  const resume = guest === 'resume' && !dead;
  await runFirst(session, by, first);
  if (resume) await clearTheWay(session, by);
  if (board.status.state === 'broken') {
    session.expectExit(
      resume ? 'the session was stopped and the guest resumed' : 'the session was stopped',
      dead ? 'absent' : resume ? 'running' : 'halted',
    );
    session.run(resume ? 'qd' : 'q', by);
  }
  if (!(await board.until(hasEnded, PATIENCE_MS)))
    session.kill('kd did not end by itself and was ended', 'unknown');
}

async function runFirst(session: Endable, by: Actor, first: readonly string[]): Promise<void> {
  const { board } = session;
  for (const command of first) {
    if (board.status.state !== 'broken') return;
    session.run(command, by);
    await board.until((status) => status.state !== 'busy', PATIENCE_MS);
  }
}

/** Breakpoints out of the guest's memory, and no kept break request that would freeze it right after `qd`. */
async function clearTheWay(session: Endable, by: Actor): Promise<void> {
  const { board, stops } = session;
  session.run('bc *', by);
  await board.until((status) => status.state !== 'busy', PATIENCE_MS);
  if (stops.owed === 0 || board.status.state !== 'broken') return;
  const { generation } = board.status;
  if (!(await session.go(by)).ok) return;
  stops.forgetOwed();
  if (!(await board.until((status) => status.generation > generation, OWED_MS))) {
    await session.breakIn(by, PATIENCE_MS);
  }
}

/**
 * Ctrl+B leaves another debugger's session and changes nothing there (kd-behaviour.md §9.2); `q` and `qd` are refused.
 * `resume`: the halt is one of this session's own, so it is ended before.
 */
async function leaveRemote(
  session: Endable,
  guest: 'resume' | 'leave_frozen',
  by: Actor,
  first: readonly string[],
): Promise<void> {
  const { board } = session;
  const own = guest === 'resume' && isHalted(board.status);
  if (own && (await session.breakIn(by, PATIENCE_MS)).ok) {
    await runFirst(session, by, first);
    if (board.status.state === 'broken') await session.go(by);
  }
  const reason = `left the remote session; its owner keeps the target${own && !isHalted(board.status) ? ', which runs again' : ''}`;
  session.expectExit(reason, 'unknown');
  session.write('\u0002\n');
  if (!(await session.board.until(hasEnded, PATIENCE_MS / 2))) session.kill(reason, 'unknown');
}
