/** How nodes of the view "KD Sessions" are drawn, and the same words for quick picks. */
import * as vscode from 'vscode';
import { mayBeFrozen } from '../host/forsaken.ts';
import type { SessionRecord } from '../host/protocol.ts';
import { duration } from './duration.ts';
import { forPeople } from './for-people.ts';
import type { LiveSession } from './live-sessions.ts';
import type { PastCommands } from './past-commands.ts';
import { sessionLook } from './session-look.ts';
import type { Row } from './session-rows.ts';
import type { SessionNode } from './tree.ts';
import { STATE_ICONS, type StateIcon, stateWord } from './words.ts';

const t = vscode.l10n.t;

export function themeIcon(icon: StateIcon): vscode.ThemeIcon {
  return icon.color === undefined
    ? new vscode.ThemeIcon(icon.id)
    : new vscode.ThemeIcon(icon.id, new vscode.ThemeColor(icon.color));
}

/** Text of the target in Markdown: it must not become a link or a command. */
export function tooltip(rows: readonly (readonly [string, string])[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  for (const [index, [name, value]] of rows.entries()) {
    if (index > 0) markdown.appendMarkdown('  \n');
    markdown.appendMarkdown('**').appendText(name).appendMarkdown('** ').appendText(value);
  }
  return markdown;
}

/** A session that is over, or only its key if its record is gone. */
export function endedItem(
  node: SessionNode & { kind: 'ended' },
  record: SessionRecord | undefined,
): vscode.TreeItem {
  const item = new vscode.TreeItem(record?.id ?? node.key);
  item.id = `ended/${node.key}`;
  if (record?.ended === undefined) return item;
  const frozen = mayBeFrozen(record);
  const { at, reason } = record.ended;
  item.description = endedWords(record);
  item.iconPath = frozen
    ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
    : new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
  item.contextValue = frozen ? 'ended.frozen' : 'ended';
  item.tooltip = tooltip([
    [t('Ended'), t('{0} ago', duration(Date.now() - at, t))],
    [t('Reason'), forPeople(reason, t)],
    [t('Connection'), record.title],
    [t('Started by'), record.startedBy.name],
  ]);
  item.accessibilityInformation = { label: t('Session {0}, {1}', record.id, endedWords(record)) };
  item.command = { command: 'kdMcp.openTranscript', title: t('Open Transcript'), arguments: [node] };
  return item;
}

/** Something that is known of a session. */
export function rowItem(id: string, row: Row): vscode.TreeItem {
  const item = new vscode.TreeItem(
    row.label,
    row.children === undefined
      ? vscode.TreeItemCollapsibleState.None
      : vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = `${id}/${row.key}`;
  item.iconPath = themeIcon(row.icon);
  item.contextValue = `row.${row.key.replace(/-\d+$/, '')}`;
  if (row.description !== undefined) item.description = row.description;
  if (row.tooltip !== undefined && row.tooltip !== '') item.tooltip = tooltip([[row.label, row.tooltip]]);
  return item;
}

/** How it ended, in the few words that a line has room for. */
export function endedWords({ ended }: SessionRecord): string {
  return `${t('ended')} · ${forPeople(ended?.reason ?? '', t)}`;
}

/** What is on the screen of a session, as something to compare. */
export function drawnText(session: LiveSession, past: PastCommands): unknown {
  if (session.kind === 'apart') return [session.id, session.problem, session.record.state];
  const { description, contextValue, rows } = sessionLook(session.info, Date.now(), t, past.of(session.id));
  return [session.id, description, contextValue, rows];
}

/** For quick picks: the same words as in the tree. */
export function pickItem(session: LiveSession): vscode.QuickPickItem & { readonly id: string } {
  if (session.kind === 'apart') {
    return {
      id: session.id,
      label: session.id,
      description: forPeople(session.problem, t),
      iconPath: themeIcon(STATE_ICONS.ended),
    };
  }
  const { status } = session.info;
  const lasted = duration(Date.now() - (status.halt?.since ?? status.since), t);
  return {
    id: session.id,
    label: session.id,
    description: `${stateWord(status, t)} ${lasted}`,
    detail: session.info.title,
    iconPath: themeIcon(STATE_ICONS[status.state]),
  };
}
