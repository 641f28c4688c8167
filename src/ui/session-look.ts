/** What a session looks like in the tree and in the status bar. Pure: state and clock in, texts out. */

import type { PastCommand } from '../client/recent-commands.ts';
import type { SessionInfo } from '../host/protocol.ts';
import { duration } from './duration.ts';
import type { Translate } from './l10n.ts';
import { type Row, sessionRows } from './session-rows.ts';
import { eventWords, levelWords, STATE_ICONS, type StateIcon, stateWord } from './words.ts';

export interface SessionLook {
  readonly label: string;
  readonly description: string;
  readonly icon: StateIcon;
  /** `session.<state>` with `.pinned`, `.controlled` and `.shared` behind it, for `when` clauses of menus. */
  readonly contextValue: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** Lines of the tooltip: name and value. */
  readonly tooltip: readonly (readonly [name: string, value: string])[];
  readonly rows: readonly Row[];
}

/** Since when the guest is frozen, or since when it is in this state. */
function since(info: SessionInfo): number {
  return info.status.halt?.since ?? info.status.since;
}

/** The session's line, tooltip and children. */
export function sessionLook(
  info: SessionInfo,
  now: number,
  t: Translate,
  commands: readonly PastCommand[] = [],
): SessionLook {
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
  if (info.level !== undefined)
    tooltip.push([t('Agent Level'), `${info.level}. ${levelWords(info.level, t)}`]);
  tooltip.push([t('Started by'), info.startedBy.name]);
  return {
    label: info.id,
    description: `${word} ${lasted}`,
    icon: STATE_ICONS[status.state],
    contextValue: [
      'session',
      status.state,
      ...(info.pinnedBy === undefined ? [] : ['pinned']),
      ...(info.controlledBy === undefined ? [] : ['controlled']),
      ...(info.sharing?.server === undefined ? [] : ['shared']),
    ].join('.'),
    spoken: t('Session {0}, {1} for {2}', info.id, word, lasted),
    tooltip,
    rows: sessionRows(info, now, t, commands),
  };
}

/** `alarm`: a crash, or a halt that has lasted longer than a person wants. */
export interface StatusText {
  readonly text: string;
  readonly spoken: string;
  readonly alarm?: 'warning' | 'error';
}

/** The state item of the status bar, e.g. `$(debug-pause) net-50000 halted 12 s`. */
export function statusText(info: SessionInfo, now: number, t: Translate, warnAfterSec = 0): StatusText {
  const look = sessionLook(info, now, t);
  const { halt } = info.status;
  const alarm =
    halt === undefined
      ? undefined
      : halt.event.kind === 'bugcheck'
        ? 'error'
        : warnAfterSec > 0 && now - halt.since >= warnAfterSec * 1000
          ? 'warning'
          : undefined;
  const text = `$(${look.icon.id}) ${look.label} ${look.description}`;
  return { text, spoken: look.spoken, ...(alarm === undefined ? {} : { alarm }) };
}
