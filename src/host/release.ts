/** What happens when a halt is over by itself: announced, agents' breakpoints off if nobody is there, then `g`. */
import type { Breakpoint } from './breakpoints.ts';
import type { SessionCore } from './core.ts';
import type { GuestDuty, GuestRules } from './guest.ts';
import { HOST_ACTOR } from './session-parts.ts';

const INTERRUPT_TIMEOUT_MS = 10_000;
/** Then a fresh kd has to free the guest (forsaken.ts). */
const HANGS = 'kd did not answer and nobody was connected, so it was ended';

export async function performDuty(core: SessionCore, duty: GuestDuty, rules: GuestRules): Promise<void> {
  switch (duty) {
    case 'control':
      core.keeper.dispatch({ kind: 'controlled', by: undefined });
      core.remark('No person is connected any more: control is given back.');
      core.tellChanged();
      return;
    case 'lease':
      return release(
        core,
        `Nobody used this halt for ${seconds(rules.leaseMs)}: the guest runs again.`,
        false,
      );
    case 'orphan':
      return release(core, `Nobody was connected for ${seconds(rules.graceMs)}: the guest runs again.`, true);
  }
}

/** The `g` of a release makes the session busy; that is no reason to release it once more. */
const releasing = new WeakSet<SessionCore>();

async function release(core: SessionCore, why: string, alone: boolean): Promise<void> {
  if (releasing.has(core)) return;
  releasing.add(core);
  try {
    await releaseNow(core, why, alone);
  } finally {
    releasing.delete(core);
    // If it did not work, the time starts again.
    if (core.halted) core.keeper.dispatch({ kind: 'woke' });
  }
}

async function releaseNow(core: SessionCore, why: string, alone: boolean): Promise<void> {
  const { state, command } = core.status;
  if (state === 'asking' || (alone && state === 'busy')) {
    await core.engine.breakIn(HOST_ACTOR, INTERRUPT_TIMEOUT_MS);
  }
  if (alone && core.status.state === 'busy' && core.status.command?.seq === command?.seq) {
    if (stillOurs(core) && core.clients.size === 0) core.engine.kill(HANGS);
    return;
  }
  const turn = core.turns.take(() => (core.status.state === 'broken' ? undefined : 'The guest runs.'));
  const granted = await turn.granted;
  if (!granted.ok) return;
  try {
    if (core.stopping || !stillOurs(core)) return;
    const disabled = alone ? await disableAgents(core) : [];
    if (core.status.state !== 'broken' || !stillOurs(core)) return;
    core.remark(
      disabled.length === 0
        ? why
        : `${why} Breakpoints of agents are disabled: ${disabled.join(' · ')} (be * enables them).`,
    );
    const running = await core.engine.go(HOST_ACTOR);
    if (!running.ok) core.remark(`The guest could not be resumed: ${running.text ?? running.reason}.`);
  } finally {
    turn.done();
  }
}

/** The halt is an agent's, and nobody wants to keep it. */
export function stillOurs(core: SessionCore): boolean {
  const { halt, pinnedBy, crashed } = core.keeper.state;
  return halt?.cause.kind === 'agent' && pinnedBy === undefined && !crashed;
}

/** Otherwise the next hit would freeze the guest again, with nobody there. */
async function disableAgents(core: SessionCore): Promise<readonly string[]> {
  const command = disablingAgents(core);
  if (command === undefined) return [];
  const theirs = enabledOfAgents(core);
  await core.engine.run(command, HOST_ACTOR).settled;
  return theirs.map((one) => one.command);
}

/** The command that disables the breakpoints of agents, if there are any. */
export function disablingAgents(core: SessionCore): string | undefined {
  const theirs = enabledOfAgents(core);
  return theirs.length === 0 ? undefined : `bd ${theirs.map((one) => one.number).join(' ')}`;
}

function enabledOfAgents(core: SessionCore): readonly Breakpoint[] {
  return core.breakpoints.list.filter((one) => one.by.kind === 'agent' && one.enabled);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
