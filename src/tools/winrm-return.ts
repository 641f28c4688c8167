/**
 * Giving a guest back to WinRM: let it run, then watch until WinRM answers, the target stops again, or the time is over.
 * The flow of the tool and of the editor's command; no reply is formatted here.
 */
import type { Session } from '../client/sessions.ts';
import type { RunControlResult, SessionInfo } from '../host/protocol.ts';
import { describeObservation } from '../winrm/probe.ts';
import { isHalted, seconds, stateLine } from './status.ts';
import { oneLine } from './text.ts';
import { ToolError } from './tool.ts';
import { unlessAborted } from './wait.ts';
import { addressOf, type WinrmWatch, watchWinrm } from './winrm-watch.ts';

export interface WinrmReturnOptions {
  /** For everything together, ms. */
  readonly timeoutMs: number;
  /** Address of the guest, if neither its state file nor KDNET tells it. */
  readonly guestHost?: string;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** How it ended. `ran`: what `g` did; absent parts did not happen. */
export interface WinrmReturn {
  readonly end: 'answers' | 'silent' | 'stopped' | 'refused' | 'no-address';
  readonly ran: RunControlResult;
  readonly stop?: RunControlResult;
  /** For the user, in English: what happened and what to do next. */
  readonly words: readonly string[];
}

/** @throws ToolError when there is no target, SessionError when the session cannot be used. */
export async function returnToWinrm(session: Session, options: WinrmReturnOptions): Promise<WinrmReturn> {
  const until = Date.now() + options.timeoutMs;
  const ran = await resume(session, options);
  if (ran.outcome === 'refused') {
    return { end: 'refused', ran, words: [`refused: ${oneLine(ran.error ?? 'kd refused it', 400)}`] };
  }
  const started = startWords(ran);
  if (ran.outcome === 'stopped-again') return { end: 'stopped', ran, stop: ran, words: [started, STOPPED] };
  const hosts = guestAddresses(ran.info, options.guestHost);
  if (hosts.length === 0) return { end: 'no-address', ran, words: [started, NO_ADDRESS] };
  const { stop, winrm } = await firstEnd(session, ran, hosts, until, options);
  if (stop) return { end: 'stopped', ran, stop, words: [started, STOPPED] };
  return {
    end: winrm?.answered !== undefined ? 'answers' : 'silent',
    ran,
    words: [started, winrmWords(winrm, ran.info, options.timeoutMs)],
  };
}

const STOPPED =
  'The target stopped again: the guest is frozen and WinRM cannot answer. Look why (last event, k), then resume_for_winrm again.';
const NO_ADDRESS =
  'The address of the guest is not known (no state file, no KDNET), so WinRM was not watched: pass guest_host. Next: try WinRM.';

/** `g`, unless it runs already. Without a target there is nothing to resume. */
async function resume(session: Session, { signal }: WinrmReturnOptions): Promise<RunControlResult> {
  const info = await session.refresh();
  const { state } = info.status;
  if (state === 'starting' || state === 'waiting') {
    throw new ToolError(
      `${info.id} has no target yet (${state}), so this session does not halt the guest: nothing to resume.`,
    );
  }
  if (state === 'running')
    return { outcome: 'already', from: info.transcriptEnd, to: info.transcriptEnd, info };
  return unlessAborted(signal, session.go(0));
}

/** Where WinRM may be: as the caller says, as the state file says, as kd printed it. KDNET can change the address. */
export function guestAddresses(info: SessionInfo, given?: string): readonly string[] {
  const all = [given, info.guestHost, info.status.target.linkAddress];
  return [...new Set(all.map((host) => host?.trim() ?? '').filter((host) => host !== ''))];
}

interface End {
  readonly winrm?: WinrmWatch;
  readonly stop?: RunControlResult;
}

/** WinRM answers, the target stops, or the time is over: whichever is first ends the other. */
async function firstEnd(
  session: Session,
  ran: RunControlResult,
  hosts: readonly string[],
  until: number,
  options: WinrmReturnOptions,
): Promise<End> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, options.signal]);
  const timeoutMs = Math.max(0, until - Date.now());
  options.progress(`running; waiting for WinRM at ${hosts.join(', ')}`);
  try {
    const winrm = watchWinrm(hosts, timeoutMs, signal);
    const stop = session.waitForBreak({ timeoutMs, generation: ran.info.status.generation, signal });
    // A wait that ends without a stop decides nothing.
    const decided = stop.then((result): End | Promise<End> =>
      isHalted(result.info.status) ? { stop: result } : winrm.then((answer) => ({ winrm: answer })),
    );
    const answered = winrm.then((answer): End => ({ winrm: answer }));
    return await unlessAborted(options.signal, Promise.race([answered, decided]));
  } finally {
    over.abort();
  }
}

function startWords(ran: RunControlResult): string {
  switch (ran.outcome) {
    case 'already':
      return 'the target was running already: nothing was sent';
    case 'stopped-again':
      return 'it ran and stopped again';
    case 'pending':
      return `g was sent, but it is not certain yet that the target runs (${stateLine(ran.info)})`;
    default:
      return ran.haltedMs === undefined
        ? 'running again'
        : `running again; the guest had been frozen for ${seconds(ran.haltedMs)}`;
  }
}

function winrmWords(watch: WinrmWatch | undefined, info: SessionInfo, timeoutMs: number): string {
  if (watch?.answered === undefined) {
    const seen = watch?.last.slice(0, 4).map(describeObservation).join('; ') ?? '';
    return `WinRM did not answer within ${seconds(timeoutMs)}${seen === '' ? '' : `: ${seen}`}. Next: resume_for_winrm again (it only waits while the target runs).`;
  }
  const { host, port, ms } = watch.answered;
  // KDNET can change the guest's address (kd-behaviour.md §2.3).
  const moved =
    info.guestHost !== undefined && addressOf(info.guestHost).host !== host
      ? ` The guest is at ${host} now, not at ${oneLine(info.guestHost, 60)} as its state file says: connect there.`
      : '';
  return `WinRM answers at ${host}:${port} (after ${seconds(ms)}).${moved} Next: go on with WinRM-MCP.`;
}
