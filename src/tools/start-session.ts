/** Starting a session and waiting until it is known what became of it. */
import { type Session, SessionError, type Started, type StartOptions } from '../client/sessions.ts';
import type { Level, SessionInfo } from '../host/protocol.ts';
import { neverRuns } from '../kd/connection.ts';
import { excerpt, readCall } from './excerpt.ts';
import { type Block, formatReply } from './reply.ts';
import { isHalted, remarksOn, stateLine } from './status.ts';
import { oneLine } from './text.ts';
import { tidyStart } from './tidy.ts';
import { type Arguments, type ToolContext, ToolError } from './tool.ts';
import { unlessAborted, waitFor } from './wait.ts';

/** A guest with KDNET offers itself every 3 s (kd-behaviour.md §2.1): so long a link is waited for. */
const LINK_GRACE_MS = 4_000;
/** Quoted of a failed start. */
const QUOTE_BYTES = 3_000;

/** @throws ToolError with kd's own words when kd ended. */
export async function startSession(
  args: Arguments,
  context: ToolContext,
  options: StartOptions,
): Promise<string> {
  const wait = waitFor(args, 'wait_sec', Math.min(context.config.kd.startup_timeout_sec, 30));
  const until = Date.now() + wait.ms;
  if (context.rescuer) await unlessAborted(context.signal, context.rescuer.idle);
  context.progress('starting kd');
  const started = await unlessAborted(context.signal, start(complete(options, context), context));
  const { session, existing } = started;
  if (existing && options.breakOnConnect && session.info.status.state === 'waiting') await session.breakIn(0);
  await known(session, context, until, options.breakOnConnect ?? false);
  const { info } = session;
  if (info.status.state === 'ended' || !session.connected)
    throw new ToolError(await failure(session, context));
  const blocks = existing
    ? []
    : [tidyStart(await excerpt((page) => session.read(page), 0, info.transcriptEnd))];
  return formatReply({
    first: stateLine(info),
    remarks: [
      existing ? 'joined the session that already runs for this target' : `started session ${session.id}`,
      ...(started.otherKey ? [otherKeyWords(info)] : []),
      ...(info.level === undefined ? [] : [levelWords(info.level)]),
      ...(wait.remark ? [wait.remark] : []),
      ...remarksOn(info),
    ],
    blocks,
    readFrom: readCall(session.id),
    next:
      started.otherKey && !isHeard(info)
        ? `Next: stop_kd(session_id="${session.id}"), then start again.`
        : nextStep(info),
  });
}

function levelWords(level: Level): string {
  const words: Readonly<Record<Level, string>> = {
    inspect: 'commands may read the target',
    debug: 'commands may read, step, set breakpoints and write to the target, and touch nothing of the host',
    unrestricted: 'commands may do everything that kd can but end the session',
  };
  return `agents' level ${level}: ${words[level]}`;
}

/** Only one kd can hold a port, so the session that runs is joined whatever its key is. */
function otherKeyWords(info: SessionInfo): string {
  return isHeard(info)
    ? 'note: it was started with another key than this one, and hears its guest: the key of this call is not used'
    : 'note: it was started with another key than this one, so it will not hear a guest that has this one (did configure_kdnet run again?)';
}

function isHeard({ status }: SessionInfo): boolean {
  return status.linked || status.state === 'running' || isHalted(status);
}

/** Starts, and adds to a refusal what can be seen from here of the reason. */
async function start(options: StartOptions, { sessions }: ToolContext): Promise<Started> {
  try {
    return await sessions.start(options);
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const advice = await portTrouble(options);
    throw advice === undefined ? error : new ToolError(`${error.message}\n${advice}`);
  }
}

/** kd says the same of a port that is held, reserved or denied (field-reports.md 5); the system knows more. */
async function portTrouble({ connection }: StartOptions): Promise<string | undefined> {
  if (connection.transport !== 'net') return undefined;
  const { portAdvice, probeUdpPort } = await import('../kd/udp-port.ts');
  const verdict = await probeUdpPort(connection.port);
  return verdict.kind === 'free' ? undefined : portAdvice(connection.port, verdict);
}

function complete(options: StartOptions, { config }: ToolContext): StartOptions {
  return config.kd.symbol_path === undefined ? options : { symbolPath: config.kd.symbol_path, ...options };
}

/** Settles when the state is known, or the time is over. */
async function known(
  session: Session,
  context: ToolContext,
  until: number,
  wantsBreak: boolean,
): Promise<void> {
  const settled = new Promise<void>((resolve) => {
    const look = (): void => {
      context.progress(stateLine(session.info));
      const left = msToKnown(session.info, until, wantsBreak, Date.now());
      clearTimeout(timer);
      if (left <= 0 || !session.connected) {
        changes.dispose();
        closed.dispose();
        resolve();
      } else timer = setTimeout(look, left);
    };
    let timer: NodeJS.Timeout | undefined;
    const changes = session.onChange(look);
    const closed = session.onClose(look);
    look();
  });
  await unlessAborted(context.signal, settled);
}

/** How long to look on before saying what is known: 0 when nothing more can be expected soon. */
export function msToKnown(info: SessionInfo, until: number, wantsBreak: boolean, now: number): number {
  const { status } = info;
  const left = until - now;
  switch (status.state) {
    case 'starting':
    case 'breaking':
      return left;
    case 'waiting':
      if (wantsBreak) return left;
      return status.linked ? 0 : Math.min(left, status.since + LINK_GRACE_MS - now);
    case 'running':
      return wantsBreak && status.breakOnConnect ? left : 0;
    case 'broken':
    case 'busy':
    case 'asking':
    case 'ended':
      return 0;
  }
}

function nextStep(info: SessionInfo): string {
  const { status } = info;
  if (neverRuns(info.transport) !== undefined) return 'Next: kd_command.';
  if (isHalted(status))
    return 'The guest is frozen. Next: kd_command; at the end resume_for_winrm or continue_go.';
  if (status.state === 'running' || status.linked) return 'The guest runs. Next: break_in to halt it.';
  if (status.state === 'starting') return 'kd has not said anything yet. Next: list_sessions, or stop_kd.';
  return 'The guest has not been heard of: is it booted, with debugging on for this host and port? Next: wait_for_break; health_check if it stays so.';
}

/** What kd said before it went. The host of a session whose kd is gone ends by itself. */
async function failure(session: Session, context: ToolContext): Promise<string> {
  const { info } = session;
  const reason =
    info.status.exit?.reason ?? (await recordedReason(session.id, context)) ?? 'the session host is gone';
  const blocks = await quote(session, context);
  session.dispose();
  return formatReply({
    first: `${session.id} · not started: ${oneLine(reason, 300)}`,
    remarks: info.status.notices.map((notice) => oneLine(notice.text, 300)),
    blocks,
    next: 'Nothing is left running. Next: correct the cause (health_check helps), then start again.',
  });
}

async function recordedReason(id: string, { sessions }: ToolContext): Promise<string | undefined> {
  return (await sessions.ended(20)).find((record) => record.id === id)?.ended?.reason;
}

async function quote(session: Session, { sessions }: ToolContext): Promise<Block[]> {
  const range = { from: -QUOTE_BYTES, maxBytes: QUOTE_BYTES };
  const page = await session
    .read(range)
    .catch(() => sessions.readEnded(session.id, range).catch(() => undefined));
  return page === undefined ? [] : [{ title: 'kd said:', from: page.from, to: page.to, head: page.text }];
}
