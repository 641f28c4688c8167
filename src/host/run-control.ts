/** The requests that halt the target, let it run, wait for it, and end the session. */
import type { CancellationToken } from 'vscode-jsonrpc';
import { neverRuns } from '../kd/connection.ts';
import type { Confirmation } from '../kd/engine.ts';
import type { KdExit } from '../kd/model.ts';
import type { SessionCore } from './core.ts';
import { endingOf } from './leave.ts';
import { signalOf, withinTime } from './patience.ts';
import type {
  ClientIdentity,
  GuestLeft,
  RunControlOutcome,
  RunControlResult,
  SessionInfo,
} from './protocol.ts';
import { describeRunning, refuse, requireAlive, requireControl } from './refusals.ts';

/** How long `go` waits for the command that is running. */
const TURN_TIMEOUT_MS = 30_000;

export async function breakIn(
  core: SessionCore,
  client: ClientIdentity,
  timeoutMs: number,
): Promise<RunControlResult> {
  requireAlive(core);
  requireControl(core, client);
  const from = core.transcript.end;
  const before = core.status.state;
  core.haltRequests++;
  core.keeper.dispatch({ kind: 'activity' });
  if (before === 'broken') return result(core, 'already', from);
  const stopped = await holding(core, () => core.engine.breakIn(client, timeoutMs));
  if (stopped.ok)
    return result(core, before === 'busy' || before === 'asking' ? 'interrupted' : 'done', from);
  return unconfirmed(core, stopped, from);
}

export async function go(
  core: SessionCore,
  client: ClientIdentity,
  waitMs: number,
  token: CancellationToken,
): Promise<RunControlResult> {
  requireAlive(core);
  requireControl(core, client);
  const from = core.transcript.end;
  const refusal = goRefusal(core);
  if (refusal !== undefined) return result(core, refusal.outcome, from, refusal.error);
  core.keeper.dispatch({ kind: 'activity' });
  const { generation } = core.status;
  const turn = core.turns.take(() =>
    core.stopping || !core.halted || core.status.generation !== generation
      ? 'The target was resumed or stopped again meanwhile.'
      : undefined,
  );
  core.tellChanged();
  const granted = await withinTime(turn.granted, TURN_TIMEOUT_MS, core.clock);
  if (granted === undefined) {
    turn.withdraw('Its time was over.');
    const running = describeRunning(core.status.command, core.clock.wall());
    return result(
      core,
      'refused',
      from,
      `Not resumed: ${running}. Interrupt it with a break-in, then let the target run.`,
    );
  }
  if (!granted.ok) {
    const now = goRefusal(core);
    return result(core, now?.outcome ?? 'stopped-again', from, now?.error ?? granted.reason);
  }
  try {
    return await goNow(core, client, waitMs, token, from);
  } finally {
    turn.done();
  }
}

async function goNow(
  core: SessionCore,
  client: ClientIdentity,
  waitMs: number,
  token: CancellationToken,
  from: number,
): Promise<RunControlResult> {
  const refusal = goRefusal(core);
  if (refusal !== undefined) return result(core, refusal.outcome, from, refusal.error);
  const { generation, halt } = core.status;
  const haltedMs = halt === undefined ? 0 : Math.max(0, core.clock.wall() - halt.since);
  const running = await core.engine.go(client);
  if (!running.ok) {
    if (running.reason === 'ended') requireAlive(core);
    return result(core, 'refused', from, `kd did not let the target run: ${running.text ?? running.reason}`);
  }
  if (waitMs > 0 && core.status.generation === generation) {
    await holding(core, () => core.engine.waitForStop(generation, waitMs, signalOf(token)));
  }
  const again = core.status.generation > generation;
  return { ...result(core, again ? 'stopped-again' : 'done', from), haltedMs };
}

/** Why the target cannot be let run in this state; undefined when it can. */
function goRefusal(core: SessionCore): { outcome: RunControlOutcome; error?: string } | undefined {
  const { status } = core;
  const never = neverRuns(core.facts.transport);
  if (never !== undefined)
    return { outcome: 'refused', error: `There is nothing to let run: ${never}. Commands that look work.` };
  switch (status.state) {
    case 'broken':
    case 'busy':
      return undefined;
    case 'running':
      return { outcome: 'already' };
    case 'breaking':
      return { outcome: 'refused', error: 'A break is under way. Wait for it, then let the target run.' };
    case 'asking':
      return {
        outcome: 'refused',
        error: `kd asks for input: ${status.question ?? '(no text)'}. Answer it or cancel it with a break-in, then let the target run.`,
      };
    case 'starting':
    case 'waiting':
      return { outcome: 'refused', error: 'No target is halted: kd waits for one to connect.' };
    case 'ended':
      return { outcome: 'refused', error: 'kd has ended.' };
  }
}

export async function waitForBreak(
  core: SessionCore,
  params: { readonly timeoutMs: number; readonly generation?: number },
  token: CancellationToken,
): Promise<RunControlResult> {
  requireAlive(core);
  const from = core.transcript.end;
  const generation = params.generation ?? core.status.generation;
  const stoppedAlready = params.generation === undefined ? core.halted : core.status.generation > generation;
  if (stoppedAlready) return result(core, 'already', from);
  const stopped = await holding(core, () =>
    core.engine.waitForStop(generation, params.timeoutMs, signalOf(token)),
  );
  return stopped.ok ? result(core, 'done', from) : unconfirmed(core, stopped, from);
}

/** Ends the session. What is queued is dropped; a command that runs is interrupted. */
export async function stop(
  core: SessionCore,
  client: ClientIdentity,
  guest: 'resume' | 'leave_frozen',
): Promise<{ readonly guest: GuestLeft; readonly detail: string; readonly info: SessionInfo }> {
  if (core.status.state !== 'ended') {
    requireControl(core, client);
    core.stopping = guest;
    core.turns.dropAll('Not sent: the session was stopped.');
    await core.engine.quit(...endingOf(core, guest, client));
  }
  const exit = await core.engine.exited;
  return { guest: guestAfter(exit), detail: exit.reason, info: core.info() };
}

/** What became of the guest, in the words of a record. */
export function guestAfter(exit: KdExit): GuestLeft {
  switch (exit.target) {
    case 'running':
      return 'running';
    case 'halted':
      return 'frozen';
    case 'absent':
      return 'none';
    case 'unknown':
      return 'unknown';
  }
}

function unconfirmed(
  core: SessionCore,
  confirmation: Exclude<Confirmation, { ok: true }>,
  from: number,
): RunControlResult {
  switch (confirmation.reason) {
    case 'timeout':
      return result(core, 'pending', from, confirmation.text);
    case 'refused':
    case 'wrong-state':
      return result(core, 'refused', from, confirmation.text);
    case 'ended':
      throw refuse(
        'ended',
        `kd has ended: ${core.status.exit?.reason ?? 'no reason known'}. Start a new session.`,
      );
  }
}

function result(
  core: SessionCore,
  outcome: RunControlOutcome,
  from: number,
  error?: string,
): RunControlResult {
  return {
    outcome,
    ...(error === undefined ? {} : { error }),
    from,
    to: core.transcript.end,
    info: core.info(),
  };
}

/** A request that waits is activity for as long as it waits. */
async function holding<T>(core: SessionCore, work: () => Promise<T>): Promise<T> {
  core.keeper.dispatch({ kind: 'hold', change: 1 });
  try {
    return await work();
  } finally {
    core.keeper.dispatch({ kind: 'hold', change: -1 });
  }
}
