/** break_in, continue_go, wait_for_break: stopping the target, letting it run, waiting until it stops. */
import type { Session } from '../client/sessions.ts';
import type { RunControlResult } from '../host/protocol.ts';
import { number } from './arguments.ts';
import { excerpt, readCall } from './excerpt.ts';
import { openSession, SESSION_ID } from './open.ts';
import { formatReply } from './reply.ts';
import { eventWords, isHalted, remarksOn, seconds, stateLine } from './status.ts';
import { oneLine } from './text.ts';
import { tidyStop } from './tidy.ts';
import { type Tool, ToolError } from './tool.ts';
import { unlessAborted, waitFor } from './wait.ts';

export const breakInTool: Tool = {
  name: 'break_in',
  title: 'Break in',
  description:
    'Stop the target, or interrupt the command that runs. The guest is frozen afterwards (no network, no WinRM): be short and end with resume_for_winrm or continue_go. If it is halted already nothing is sent. While no target is connected, the break is kept until one is.',
  args: {
    session_id: SESSION_ID,
    timeout_sec: { type: 'number', description: 'Wait for the stop, default 20, at most 45', minimum: 0 },
  },
  effect: 'act',
  idempotent: true,
  run: async (args, context) => {
    const session = await openSession(args, context);
    const wait = waitFor(args, 'timeout_sec', 20);
    const result = await unlessAborted(context.signal, session.breakIn(wait.ms));
    return runControlReply(session, result, [breakWords(result), wait.remark]);
  },
};

export const continueGoTool: Tool = {
  name: 'continue_go',
  title: 'Continue (g)',
  description:
    'Let the target run, then watch it: returns early if it stops again. To go back to WinRM use resume_for_winrm.',
  args: {
    session_id: SESSION_ID,
    wait_sec: {
      type: 'number',
      description: 'Watch so long after it runs, default 5, at most 45',
      minimum: 0,
    },
  },
  effect: 'act',
  needsConfig: false,
  run: async (args, context) => {
    const session = await openSession(args, context);
    const wait = waitFor(args, 'wait_sec', context.config.kd.continue_wait_sec);
    const result = await unlessAborted(context.signal, session.go(wait.ms));
    return runControlReply(session, result, [goWords(result, wait.seconds), wait.remark]);
  },
};

export const waitForBreakTool: Tool = {
  name: 'wait_for_break',
  title: 'Wait for a stop',
  description:
    'Wait until the target stops (breakpoint, bugcheck, break-in by anybody). Returns at once if it is halted. Waits at most 45 s: call again to wait longer. Does not stop the target itself.',
  args: {
    session_id: SESSION_ID,
    timeout_sec: { type: 'number', description: 'Default 30, at most 45', minimum: 0 },
    from: { type: 'integer', description: 'Cursor: show what was printed since', minimum: 0 },
  },
  effect: 'read',
  needsConfig: false,
  run: async (args, context) => {
    const session = await openSession(args, context);
    const wait = waitFor(args, 'timeout_sec', 30);
    const since = number(args, 'from');
    const before = await session.refresh();
    const result = isHalted(before.status)
      ? alreadyHalted(session)
      : await watched(session, context.progress, () =>
          unlessAborted(context.signal, session.waitForBreak({ timeoutMs: wait.ms, signal: context.signal })),
        );
    const shown = since === undefined ? result : { ...result, from: Math.min(since, result.to) };
    return runControlReply(session, shown, [waitWords(result, wait.seconds), wait.remark]);
  },
};

function alreadyHalted(session: Session): RunControlResult {
  const { info } = session;
  return { outcome: 'already', from: info.transcriptEnd, to: info.transcriptEnd, info };
}

/** Tells the client every few seconds that the wait goes on. */
export async function watched<T>(
  session: Session,
  progress: (message: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  progress(stateLine(session.info));
  const timer = setInterval(() => progress(stateLine(session.info)), 5_000);
  const listening = session.onChange((info) => progress(stateLine(info)));
  try {
    return await work();
  } finally {
    clearInterval(timer);
    listening.dispose();
  }
}

/** @throws ToolError when kd or the state refused. */
export async function runControlReply(
  session: Session,
  result: RunControlResult,
  words: readonly (string | undefined)[],
): Promise<string> {
  const read = (options: Parameters<Session['read']>[0]) => session.read(options);
  const block = result.to > result.from ? tidyStop(await excerpt(read, result.from, result.to)) : undefined;
  const reply = formatReply({
    first: stateLine(result.info),
    remarks: [...words.filter((word) => word !== undefined), ...remarksOn(result.info)],
    blocks: block === undefined ? [] : [block],
    readFrom: readCall(session.id),
  });
  if (result.outcome === 'refused') throw new ToolError(reply);
  return reply;
}

function breakWords(result: RunControlResult): string {
  const { status } = result.info;
  switch (result.outcome) {
    case 'done':
      return status.lastEvent && isHalted(status) ? `stopped: ${eventWords(status.lastEvent)}` : 'stopped';
    case 'already':
      return isHalted(status) ? 'already halted: nothing was sent' : 'a break was already asked for';
    case 'interrupted':
      return 'the running command was interrupted';
    case 'pending':
      return status.state === 'waiting'
        ? 'no target is connected: it will be stopped as soon as it connects. Next: wait_for_break.'
        : `asked for, but no stop seen: ${status.lastEvent?.kind === 'link-lost' ? 'the link is down' : 'the target hangs or the link is down'}. It may still come (wait_for_break); otherwise break_in again when the target answers.`;
    case 'refused':
      return refusal(result);
    case 'stopped-again':
      return 'stopped again';
  }
}

function goWords(result: RunControlResult, watchedSec: number): string {
  const halted =
    result.haltedMs === undefined ? '' : `; the guest had been frozen for ${seconds(result.haltedMs)}`;
  switch (result.outcome) {
    case 'done':
      return `running again${halted}${watchedSec > 0 ? `; no stop within ${watchedSec} s. Next: wait_for_break, or your work in the guest.` : ''}`;
    case 'already':
      return 'it was running already: nothing was sent';
    case 'stopped-again':
      return `it ran and stopped again: ${stopWords(result)}${halted}`;
    case 'pending':
      return 'g was sent, but it is not certain yet that the target runs. Next: wait_for_break(timeout_sec=5).';
    case 'interrupted':
      return 'interrupted';
    case 'refused':
      return refusal(result);
  }
}

function waitWords(result: RunControlResult, waitedSec: number): string {
  switch (result.outcome) {
    case 'done':
    case 'stopped-again':
      return `stopped: ${stopWords(result)}`;
    case 'already':
      return `halted: ${stopWords(result)}`;
    case 'interrupted':
      return 'a command was interrupted';
    case 'pending':
      return `no stop within ${waitedSec} s. Next: wait_for_break again, or break_in.`;
    case 'refused':
      return refusal(result);
  }
}

function stopWords(result: RunControlResult): string {
  const event = result.info.status.halt?.event ?? result.info.status.lastEvent;
  return event ? eventWords(event) : 'cause unknown';
}

function refusal(result: RunControlResult): string {
  return `refused: ${oneLine(result.error ?? 'kd refused it', 400)}`;
}
