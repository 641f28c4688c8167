/** list_sessions: what lives, and what ended lately. Reads records only; no session is joined for it. */
import { PROTOCOL, type SessionRecord } from '../host/protocol.ts';
import { neverRuns } from '../kd/connection.ts';
import type { KdState } from '../kd/model.ts';
import { formatReply } from './reply.ts';
import { causeWords, eventWords, seconds } from './status.ts';
import { oneLine } from './text.ts';
import type { Tool } from './tool.ts';

const ENDED_SHOWN = 5;

export const listSessionsTool: Tool = {
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'Sessions of everybody on this machine, with state and who halted the guest, and those that ended lately (their output stays readable). Call it first: a person or another agent may already have a session.',
  args: {},
  effect: 'read',
  needsConfig: false,
  run: async (_args, { sessions, rescuer }) => {
    const live = await sessions.list();
    const ended = await sessions.ended(ENDED_SHOWN);
    const now = Date.now();
    return formatReply({
      first:
        live.length === 0
          ? 'no session lives'
          : `${live.length} ${live.length === 1 ? 'session' : 'sessions'}`,
      remarks: [
        ...live.map((record) => liveLine(record, now)),
        ...ended.map((record) => endedLine(record, now)),
        ...(rescuer?.reports ?? []),
        ...(live.length === 0
          ? ['Next: start_from_state (after configure_kdnet of WinRM-MCP), or start_kd.']
          : []),
      ],
    });
  },
};

/** `net-50000 · broken 12 s, halted by agent X (break-in) · NET port 50000 · started 5 min ago by agent X`. */
export function liveLine(record: SessionRecord, now: number): string {
  const halt = record.halt;
  const frozen =
    halt && neverRuns(record.transport) === undefined
      ? ` (guest frozen ${seconds(now - halt.since)}, halted by ${causeWords(halt.cause)}: ${eventWords(halt.event)}${record.pinned ? ', pinned' : ''})`
      : '';
  const parts = [
    record.id,
    `${stateWord(record.state)}${frozen}`,
    oneLine(record.title, 80),
    ...(record.level === undefined ? [] : [`agents' level ${record.level}`]),
    ...(record.guestHost === undefined ? [] : [`guest ${oneLine(record.guestHost, 60)}`]),
    `started ${seconds(now - record.startedAt)} ago by ${record.startedBy.kind} ${oneLine(record.startedBy.name, 40)}`,
  ];
  if (record.kdPid !== undefined) parts.push(`kd process ${record.kdPid}`);
  parts.push(...sharingWords(record.sharing));
  if (record.protocol !== PROTOCOL)
    parts.push('runs another version of KD-MCP: only state, read, break, go, stop');
  return parts.join(' · ');
}

/** Who else may come, or is there, at another debugger. */
function sharingWords(sharing: SessionRecord['sharing']): readonly string[] {
  if (sharing === undefined) return [];
  const { server, attached } = sharing;
  return [
    ...(server === undefined ? [] : [`open to other debuggers (by ${oneLine(server.by.name, 40)})`]),
    ...(attached.length === 0
      ? []
      : [`attached: ${attached.map(({ name }) => oneLine(name, 60)).join(', ')}`]),
  ];
}

export function endedLine(record: SessionRecord, now: number): string {
  const { ended } = record;
  if (!ended) return `${record.id} · ended`;
  return `${record.id} · ended ${seconds(now - ended.at)} ago · ${endWords(ended)}`;
}

/** `guest: running · It was stopped`. What was true at the end may have been mended since. */
export function endWords({ guest, reason, rescuedAt }: NonNullable<SessionRecord['ended']>): string {
  const now = rescuedAt === undefined ? guest : 'running (was frozen, rescued since)';
  return `guest: ${now} · ${oneLine(reason, 200).replace(/\.$/, '')}`;
}

function stateWord(state: KdState): string {
  return state === 'waiting' ? 'waiting for the target' : state;
}
