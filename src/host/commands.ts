/** The `command` request: lines that are sent one after the other, as one unit of the queue. */
import type { CancellationToken } from 'vscode-jsonrpc';
import { secretsTyped } from '../kd/arguments.ts';
import type { RunningCommand } from '../kd/engine.ts';
import type { Actor, CommandOutcome } from '../kd/model.ts';
import { type AdmittedLine, admit, refusedMeanwhile } from './admit.ts';
import type { CommandTrace } from './command-traces.ts';
import type { SessionCore } from './core.ts';
import { whenAborted, withinTime } from './patience.ts';
import type { ClientIdentity, CommandResult, Limits, SessionInfo } from './protocol.ts';
import { commandRefusal, describeRunning, refuse, requireAlive, requireControl } from './refusals.ts';
import { HOST_ACTOR } from './session-parts.ts';
import type { Turn } from './turns.ts';

export interface CommandParams {
  readonly lines: readonly string[];
  readonly timeoutMs: number;
  readonly answer?: boolean;
  readonly ifRunning?: 'refuse' | 'break_and_resume';
  /** Of the client's own configuration. */
  readonly limits?: Limits | undefined;
}

const MAX_QUEUED = 100;
/** For the stop of break_and_resume; the ladder of a serial transport needs most of it. */
const BREAK_TIMEOUT_MS = 20_000;

/** One line of a unit, as far as it has come. */
interface Line extends AdmittedLine {
  trace?: CommandTrace;
  outcome?: CommandOutcome;
  error?: string;
  endedAt?: number;
}

interface Unit {
  readonly lines: readonly Line[];
  /** Some of it was given to kd, or a break was sent for it: it cannot be taken back. */
  begun: boolean;
}

/**
 * Runs lines and waits at most `timeoutMs`. What has begun by then goes on and is reported as `running`; a unit of which
 * nothing was sent is taken back: nothing happens later behind the caller's back.
 */
export async function runCommands(
  core: SessionCore,
  client: ClientIdentity,
  params: CommandParams,
  token: CancellationToken,
): Promise<{ readonly results: readonly CommandResult[]; readonly info: SessionInfo }> {
  requireAlive(core);
  requireControl(core, client);
  // Those that are refused are told and written down, too.
  for (const secret of params.lines.flatMap(secretsTyped)) core.engine.keepSecret(secret);
  const lines: readonly Line[] = admit(core, client, params);
  const resume = params.ifRunning === 'break_and_resume' && !params.answer;
  const state = core.status.state;
  const refusal = commandRefusal(core.status, params.answer === true);
  if (refusal !== undefined && !(resume && (state === 'running' || state === 'breaking'))) {
    throw refuse('wrongState', refusal);
  }
  if (core.turns.length >= MAX_QUEUED) {
    throw refuse(
      'wrongState',
      `${MAX_QUEUED} commands wait already. Wait for them, or interrupt with a break-in.`,
    );
  }
  const unit: Unit = { lines, begun: false };
  const { generation } = core.status;
  const turn = core.turns.take(() => staleness(core, resume, generation, params.answer === true));
  core.keeper.dispatch({ kind: 'activity' });
  core.tellChanged();
  const finished = runUnit(core, client, unit, turn, resume, params.answer === true);
  await withinTime(Promise.race([finished, whenAborted(token)]), params.timeoutMs, core.clock);
  if (!unit.begun) {
    const reason = `Not sent: ${describeRunning(core.status.command, core.clock.wall())}. Wait for it, interrupt it with a break-in, or read its output; then send this again.`;
    if (turn.withdraw(reason)) await finished;
  }
  return { results: unit.lines.map((line) => resultOf(core, line)), info: core.info() };
}

/** Why a unit must not be sent any more when its turn comes: the world is not the one it was meant for. */
function staleness(
  core: SessionCore,
  resume: boolean,
  generation: number,
  answer: boolean,
): string | undefined {
  const { status } = core;
  if (core.stopping || status.state === 'ended') return 'Not sent: the session was stopped.';
  if (resume && (status.state === 'running' || status.state === 'breaking')) return undefined;
  const refusal = commandRefusal(status, answer);
  if (refusal !== undefined) return `Not sent: the target was resumed meanwhile. ${refusal}`;
  if (!resume && status.generation !== generation) {
    return 'Not sent: the target ran and stopped again meanwhile. Look where it is now, then send this again.';
  }
  return undefined;
}

async function runUnit(
  core: SessionCore,
  client: ClientIdentity,
  unit: Unit,
  turn: Turn,
  resume: boolean,
  answer: boolean,
): Promise<void> {
  const granted = await turn.granted;
  if (!granted.ok) {
    dropRest(unit, granted.reason);
    return;
  }
  unit.begun = true;
  try {
    const asked = core.haltRequests;
    const broke = resume && !core.halted ? await breakFor(core, client, unit) : 'not-needed';
    if (broke === 'failed') return;
    await runLines(core, client, unit, answer);
    if (broke === 'done') await resumeAfter(core, unit, asked);
  } catch (error) {
    dropRest(unit, error instanceof Error ? error.message : String(error));
  } finally {
    turn.done();
    core.tellChanged();
  }
}

async function breakFor(core: SessionCore, by: Actor, unit: Unit): Promise<'done' | 'failed'> {
  const stopped = await core.engine.breakIn(by, BREAK_TIMEOUT_MS);
  if (stopped.ok) return 'done';
  dropRest(
    unit,
    `Not sent: the target did not stop (${stopped.text ?? (stopped.reason === 'timeout' ? `no answer in ${BREAK_TIMEOUT_MS / 1000} s` : stopped.reason)}). The break may still come: look at the state, then break in again or let the target run.`,
  );
  return 'failed';
}

async function runLines(core: SessionCore, by: ClientIdentity, unit: Unit, answer: boolean): Promise<void> {
  for (const line of unit.lines) {
    const refusal = core.stopping ? 'the session was stopped' : commandRefusal(core.status, answer);
    if (refusal !== undefined) return dropRest(unit, `Not sent: ${refusal}`);
    const late = refusedMeanwhile(core, line);
    if (late !== undefined) return dropRest(unit, late);
    core.claim(by);
    core.keeper.dispatch({ kind: 'activity' });
    await runLine(core, by, line, answer);
    if (line.outcome !== 'done')
      return dropRest(unit, `Not sent: the command before it ended as "${line.outcome}".`);
  }
}

async function runLine(core: SessionCore, by: Actor, line: Line, answer: boolean): Promise<void> {
  const running: RunningCommand = answer ? core.engine.answer(line.text, by) : core.engine.run(line.text, by);
  const trace = core.traces.get(running.seq);
  line.trace = trace ?? {
    seq: running.seq,
    text: line.text,
    by,
    at: core.clock.wall(),
    from: core.transcript.end,
  };
  // An answer is no command.
  line.trace.effects = line.effects;
  const { outcome, error } = await running.settled;
  line.outcome = outcome;
  if (error !== undefined) line.error = error;
  line.endedAt = core.clock.wall();
}

/** Lets the target run again, unless the stop was not ours or somebody wants it halted now. */
async function resumeAfter(core: SessionCore, unit: Unit, asked: number): Promise<void> {
  const { state, halt } = core.status;
  if (state !== 'broken') return;
  const last = unit.lines.findLast((line) => line.trace !== undefined);
  const mine =
    halt?.event.kind === 'break-in' && core.haltRequests === asked && core.halt?.cause.kind !== 'target';
  if (!mine || core.keeper.state.pinnedBy !== undefined || core.keeper.state.controlledBy !== undefined) {
    core.remark('The target stays halted: it stopped for another reason, or somebody wants it halted.');
    return;
  }
  const resumed = await core.engine.go(HOST_ACTOR);
  if (!resumed.ok && last !== undefined) {
    last.error = `The target could not be resumed (${resumed.text ?? resumed.reason}): it is still halted.`;
  }
}

function dropRest(unit: Unit, reason: string): void {
  for (const line of unit.lines) {
    if (line.trace !== undefined || line.outcome !== undefined) continue;
    line.outcome = 'dropped';
    line.error = reason;
  }
}

function resultOf(core: SessionCore, line: Line): CommandResult {
  const end = core.transcript.end;
  const { trace } = line;
  if (trace === undefined) {
    return {
      seq: 0,
      text: core.redact(line.text),
      outcome: line.outcome ?? 'running',
      from: end,
      to: end,
      effects: line.effects,
      error: line.error ?? `Still waiting: ${describeRunning(core.status.command, core.clock.wall())}.`,
      durationMs: 0,
    };
  }
  return {
    seq: trace.seq,
    text: core.redact(line.text),
    outcome: line.outcome ?? 'running',
    from: trace.from,
    to: trace.to ?? end,
    effects: line.effects,
    ...(line.error === undefined ? {} : { error: line.error }),
    durationMs: (line.endedAt ?? core.clock.wall()) - trace.at,
  };
}
