/** What a session looks like in the tree and in the status bar. Pure: state and clock in, texts out. */
import type { SessionInfo } from '../host/protocol.ts';
import { duration } from './duration.ts';
import type { Translate } from './l10n.ts';
import { causeWords, eventWords, STATE_ICONS, type StateIcon, stateWord } from './words.ts';

export interface Row {
  /** Stable within its session. */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: StateIcon;
  readonly tooltip?: string;
}

export interface SessionLook {
  readonly label: string;
  readonly description: string;
  readonly icon: StateIcon;
  /** `session.<state>`, for `when` clauses of menus. */
  readonly contextValue: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** Lines of the tooltip: name and value. */
  readonly tooltip: readonly (readonly [name: string, value: string])[];
  readonly rows: readonly Row[];
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
          ? t('Target linked, not identified yet')
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
      description: t('by {0}', causeWords(halt.cause, t)),
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

/** Since when the guest is frozen, or since when it is in this state. */
function since(info: SessionInfo): number {
  return info.status.halt?.since ?? info.status.since;
}

/** The session's line, tooltip and children. */
export function sessionLook(info: SessionInfo, now: number, t: Translate): SessionLook {
  const { status } = info;
  const word = stateWord(status, t);
  const lasted = duration(now - since(info), t);
  const tooltip: (readonly [string, string])[] = [
    [t('State'), `${word} (${lasted})`],
    [t('Connection'), info.title],
  ];
  if (status.target.description !== undefined) tooltip.push([t('Target'), status.target.description]);
  if (status.prompt !== undefined) tooltip.push([t('Prompt'), status.prompt]);
  if (status.lastEvent !== undefined) tooltip.push([t('Last stop'), eventWords(status.lastEvent, t)]);
  tooltip.push([t('Started by'), info.startedBy.name]);
  return {
    label: info.id,
    description: `${word} ${lasted}`,
    icon: STATE_ICONS[status.state],
    contextValue: `session.${status.state}`,
    spoken: t('Session {0}, {1} for {2}', info.id, word, lasted),
    tooltip,
    rows: [
      targetRow(info, t),
      ...haltRows(info, now, t),
      ...commandRows(info, t),
      ...status.notices.map((notice, index) => ({
        key: `notice-${index}`,
        label: notice.text,
        icon: { id: 'warning', color: 'list.warningForeground' },
        tooltip: notice.text,
      })),
      ...clientRows(info, now, t),
    ],
  };
}

/** The state item of the status bar, e.g. `$(debug-pause) net-50000 halted 12 s`. */
export function statusText(info: SessionInfo, now: number, t: Translate): { text: string; spoken: string } {
  const look = sessionLook(info, now, t);
  return { text: `$(${look.icon.id}) ${look.label} ${look.description}`, spoken: look.spoken };
}
