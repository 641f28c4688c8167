/** kd_command: one command per line, each with its own result. */
import type { Session } from '../client/sessions.ts';
import type { CommandResult, SessionInfo } from '../host/protocol.ts';
import { flag, text } from './arguments.ts';
import { commandLines } from './command-lines.ts';
import { excerpt, readCall } from './excerpt.ts';
import { openSession, SESSION_ID } from './open.ts';
import { formatReply } from './reply.ts';
import { watched } from './run-control.ts';
import { commandWords, quoted, remarksOn, seconds, stateLine } from './status.ts';
import { oneLine } from './text.ts';
import { type Tool, ToolError } from './tool.ts';
import { unlessAborted, waitFor } from './wait.ts';

/** For a break that was asked for before the command. */
const STOP_MS = 10_000;

export const kdCommandTool: Tool = {
  name: 'kd_command',
  title: 'Run debugger command',
  description:
    'Run kd commands on the halted target, one per line; each line has its own result and class (what it does). Lines that the level of the session does not allow are refused, with the way out. A running target is refused unless if_running says otherwise. After timeout_sec the command goes on: read_output for the rest, break_in to interrupt it. To resume use continue_go, not g. Long output is cut in the reply, never lost.',
  args: {
    session_id: SESSION_ID,
    command: { type: 'string', description: 'E.g. "!process 0 0" or several lines' },
    timeout_sec: {
      type: 'number',
      description: 'For all lines together, default 30, at most 45',
      minimum: 0,
    },
    if_running: {
      type: 'string',
      description: 'break_and_resume: break in, run, let the target run again',
      enum: ['refuse', 'break_and_resume'],
    },
    answer: { type: 'boolean', description: 'In state asking: send the text as the answer' },
  },
  required: ['command'],
  effect: 'act',
  destructive: true,
  run: async (args, context) => {
    const answer = flag(args, 'answer') ?? false;
    const lines = commandLines(text(args, 'command') ?? '', answer);
    const session = await openSession(args, context);
    const wait = waitFor(args, 'timeout_sec', context.config.kd.command_timeout_sec);
    const ifRunning = text(args, 'if_running') === 'break_and_resume' ? 'break_and_resume' : 'refuse';
    const until = Date.now() + wait.ms;
    const done = await watched(session, context.progress, async () => {
      await stopUnderWay(session, Math.min(wait.ms, STOP_MS), context.signal);
      const timeoutMs = Math.max(1_000, until - Date.now());
      const options = { timeoutMs, ifRunning, ...(answer ? { answer } : {}) } as const;
      return unlessAborted(context.signal, session.command(lines, options));
    });
    const blocks = [];
    for (const result of done.results) {
      blocks.push(
        await excerpt((options) => session.read(options), result.from, result.to, titleOf(result, done.info)),
      );
    }
    const reply = formatReply({
      first: stateLine(done.info),
      remarks: [...(wait.remark ? [wait.remark] : []), ...remarksOn(done.info)],
      blocks,
      readFrom: readCall(session.id),
      ...nextStep(done.results, done.info),
    });
    if (done.results.length > 0 && done.results.every((result) => failed(result))) throw new ToolError(reply);
    return reply;
  },
};

/** A client that sends break_in and a command in one burst means them in this order. */
async function stopUnderWay(session: Session, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (session.info.status.state !== 'breaking') return;
  await unlessAborted(signal, session.waitForBreak({ timeoutMs, signal }));
}

/** It was not sent, or kd refused it. */
function failed(result: CommandResult): boolean {
  return result.outcome === 'dropped' || result.error !== undefined;
}

function titleOf(result: CommandResult, info: SessionInfo): string {
  // A command that never had its turn has no number, and what is wrong with it is the host's word, not kd's.
  const sent = result.seq > 0;
  const words = [`${sent ? `#${result.seq} ` : ''}${quoted(result.text, 100)}`, outcomeWords(result, info)];
  if (result.effects !== undefined && result.effects.length > 0) words.push(result.effects.join(', '));
  if (result.error !== undefined)
    words.push(sent ? `kd: ${quoted(result.error, 120)}` : oneLine(result.error, 200));
  return words.join(' · ');
}

function outcomeWords(result: CommandResult, info: SessionInfo): string {
  const took = seconds(result.durationMs);
  const running = info.status.command;
  switch (result.outcome) {
    case 'done':
      return `done, ${took}`;
    case 'running':
      return result.seq === 0 || (running && running.seq !== result.seq)
        ? `not started yet: waits for ${commandWords(running)}`
        : `still running after ${took}; what came so far:`;
    case 'resumed':
      return 'let the target run';
    case 'interrupted':
      return `interrupted after ${took}`;
    case 'asking':
      return 'kd asks for input';
    case 'lost':
      return `the target went away (reboot, reset or link) after ${took}`;
    case 'ended':
      return 'kd ended';
    case 'dropped':
      return 'not sent';
  }
}

function nextStep(results: readonly CommandResult[], info: SessionInfo): { next?: string } {
  const running = results.find((result) => result.outcome === 'running');
  if (running) {
    return {
      next: `Next: ${readCall(info.id)(running.to)} for what it prints, or break_in to interrupt it.`,
    };
  }
  if (info.status.state === 'asking') {
    return { next: 'Next: kd_command(command="…", answer=true) to answer, or break_in to cancel.' };
  }
  return {};
}
