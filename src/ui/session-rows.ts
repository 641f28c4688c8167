/** What stands below a session in the tree. Pure: state and clock in, texts out. */
import type { PastCommand } from '../client/recent-commands.ts';
import type { SessionInfo } from '../host/protocol.ts';
import type { Actor } from '../kd/model.ts';
import { duration } from './duration.ts';
import { forPeople } from './for-people.ts';
import type { Translate } from './l10n.ts';
import { causeWords, eventWords, levelWords, type StateIcon } from './words.ts';

export interface Row {
  /** Stable within its session. */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: StateIcon;
  readonly tooltip?: string;
  /** Shown when the row is opened. */
  readonly children?: readonly Row[];
}

/** `Windows 10 Kernel Version 19041 MP (2 procs) Free x64` as `Windows 10 19041 x64`. */
function shortVersion(description: string, architecture: string | undefined): string {
  const [, product, build] = /^(.+?) Kernel Version (\d+)\b/.exec(description) ?? [];
  if (product === undefined) return description;
  return [product, build, architecture].filter((word) => word !== undefined).join(' ');
}

function targetRow(info: SessionInfo, t: Translate): Row {
  const { target, linked } = info.status;
  const address = info.guestHost ?? target.linkAddress;
  const { description } = target;
  const row = {
    key: 'target',
    label:
      description === undefined
        ? linked
          ? t('Linked, not identified yet')
          : t('No target yet')
        : shortVersion(description, target.architecture),
    icon: { id: 'vm' },
    ...(description === undefined ? {} : { tooltip: description }),
  };
  return address === undefined ? row : { ...row, description: address };
}

function haltRows(info: SessionInfo, now: number, t: Translate): Row[] {
  const { halt, lastEvent } = info.status;
  if (halt === undefined) {
    if (lastEvent === undefined) return [];
    return [
      {
        key: 'event',
        label: eventWords(lastEvent, t),
        description: t('{0} ago', duration(now - lastEvent.at, t)),
        icon: { id: 'history' },
        tooltip: lastEvent.text,
      },
    ];
  }
  const rows: Row[] = [
    {
      key: 'halt',
      label: eventWords(halt.event, t),
      description: t('by {0}, {1}', causeWords(halt.cause, t), duration(now - halt.since, t)),
      icon:
        halt.event.kind === 'bugcheck'
          ? { id: 'error', color: 'list.errorForeground' }
          : { id: 'debug-stackframe' },
      tooltip: halt.event.text,
    },
  ];
  if (info.pinnedBy !== undefined) {
    rows.push({
      key: 'pin',
      label: t('Halt pinned'),
      description: t('by {0}', info.pinnedBy),
      icon: { id: 'pinned' },
    });
  } else if (info.leaseEndsAt !== undefined) {
    rows.push({
      key: 'lease',
      label: t('Resumes by itself'),
      description: t('in {0}', duration(info.leaseEndsAt - now, t)),
      icon: { id: 'clock' },
    });
  }
  return rows;
}

function commandRows(info: SessionInfo, t: Translate): Row[] {
  const { command, question } = info.status;
  const rows: Row[] = [];
  if (question !== undefined) rows.push({ key: 'question', label: question, icon: { id: 'question' } });
  if (command !== undefined) {
    rows.push({
      key: 'command',
      label: command.text,
      description: info.queued > 0 ? t('{0}, {1} queued', command.by.name, info.queued) : command.by.name,
      icon: { id: 'terminal' },
    });
  }
  return rows;
}

function levelRows({ level }: SessionInfo, t: Translate): Row[] {
  if (level === undefined) return [];
  return [
    {
      key: 'level',
      label: t('Agent Level'),
      description: level,
      icon: { id: 'shield' },
      tooltip: levelWords(level, t),
    },
  ];
}

function clientRows(info: SessionInfo, now: number, t: Translate): Row[] {
  return info.clients.map((client, index) => ({
    key: `client-${index}`,
    label: client.identity.name,
    description:
      info.controlledBy === client.identity.name
        ? t('in control')
        : client.identity.kind === 'agent'
          ? t('agent, {0}', duration(now - client.since, t))
          : t('person, {0}', duration(now - client.since, t)),
    icon: { id: client.identity.kind === 'agent' ? 'hubot' : 'account' },
  }));
}

/** Other debuggers: who is there, and whether more may come. */
function otherRows({ sharing }: SessionInfo, now: number, t: Translate): Row[] {
  if (sharing === undefined) return [];
  const { server, attached } = sharing;
  const rows: Row[] = attached.map(({ name, since }, index) => ({
    key: `attached-${index}`,
    label: name,
    description: t('other debugger, {0}', duration(now - since, t)),
    icon: { id: 'debug-alt' },
  }));
  if (server === undefined) return rows;
  const label = t('Open to Other Debuggers');
  return [
    ...rows,
    {
      key: 'shared',
      label,
      description: t('by {0}', server.by.name),
      icon: { id: 'broadcast' },
      tooltip: server.address,
    },
  ];
}

function breakpointRows(info: SessionInfo, t: Translate): Row[] {
  const { breakpoints = [] } = info;
  if (breakpoints.length === 0) return [];
  const children = breakpoints.map(({ number, command, by, enabled }) => ({
    key: `breakpoint-${number}`,
    label: `${number}  ${command}`,
    description: enabled ? t('by {0}', by.name) : t('by {0}, disabled', by.name),
    icon: enabled
      ? { id: 'debug-breakpoint', color: 'debugIcon.breakpointForeground' }
      : { id: 'debug-breakpoint-disabled', color: 'debugIcon.breakpointDisabledForeground' },
    tooltip: command,
  }));
  return [
    {
      key: 'breakpoints',
      label: t('Breakpoints'),
      description: String(children.length),
      icon: { id: 'debug-breakpoint', color: 'debugIcon.breakpointForeground' },
      children,
    },
  ];
}

const ACTOR_ICONS: Readonly<Record<Actor['kind'], string>> = {
  agent: 'hubot',
  person: 'account',
  host: 'server-process',
};

/** The newest first. */
function pastCommandRows(commands: readonly PastCommand[], now: number, t: Translate): Row[] {
  if (commands.length === 0) return [];
  const children = commands.map(({ seq, text, by, at, error }, index) => ({
    // A refused line has no number.
    key: seq > 0 ? `past-${seq}` : `past-${at}${index}`,
    label: text,
    description: t('{0}, {1} ago', by.name, duration(now - at, t)),
    icon: error === undefined ? { id: ACTOR_ICONS[by.kind] } : { id: 'error', color: 'list.errorForeground' },
    tooltip: error ?? text,
  }));
  const [last] = children;
  return [
    {
      key: 'past',
      label: t('Last Commands'),
      ...(last === undefined ? {} : { description: last.label }),
      icon: { id: 'history' },
      children,
    },
  ];
}

/** All rows, in the order in which a person asks: what is it, why does it stand, what runs, who is there. */
export function sessionRows(
  info: SessionInfo,
  now: number,
  t: Translate,
  commands: readonly PastCommand[],
): readonly Row[] {
  return [
    targetRow(info, t),
    ...haltRows(info, now, t),
    ...commandRows(info, t),
    ...info.status.notices.map((notice, index) => ({
      key: `notice-${index}`,
      label: forPeople(notice.text, t),
      icon: { id: 'warning', color: 'list.warningForeground' },
      tooltip: forPeople(notice.text, t),
    })),
    ...breakpointRows(info, t),
    ...pastCommandRows(commands, now, t),
    ...levelRows(info, t),
    ...clientRows(info, now, t),
    ...otherRows(info, now, t),
  ];
}
