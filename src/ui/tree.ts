/** The view "KD Sessions" in the Debug container: a session, and below it what is known about it. */
import * as vscode from 'vscode';
import { duration } from './duration.ts';
import type { LiveSession, LiveSessions } from './live-sessions.ts';
import { type Row, sessionLook } from './session-look.ts';
import { STATE_ICONS, type StateIcon, stateWord } from './words.ts';

const t = vscode.l10n.t;

/** Changes that come together are drawn together. */
const SETTLE_MS = 100;

export const VIEW_ID = 'kdMcp.sessions';

/** What commands get when they are called from the tree. */
export type SessionNode =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'row'; readonly id: string; readonly row: Row };

function themeIcon(icon: StateIcon): vscode.ThemeIcon {
  return icon.color === undefined
    ? new vscode.ThemeIcon(icon.id)
    : new vscode.ThemeIcon(icon.id, new vscode.ThemeColor(icon.color));
}

/** Text of the target in Markdown: it must not become a link or a command. */
function tooltip(rows: readonly (readonly [string, string])[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  for (const [index, [name, value]] of rows.entries()) {
    if (index > 0) markdown.appendMarkdown('  \n');
    markdown.appendMarkdown('**').appendText(name).appendMarkdown('** ').appendText(value);
  }
  return markdown;
}

export class SessionTree implements vscode.TreeDataProvider<SessionNode> {
  readonly #sessions: LiveSessions;
  readonly #changed = new vscode.EventEmitter<SessionNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #disposables: { dispose(): void }[];
  /** Nodes are compared by identity: the same session must be the same object. */
  readonly #nodes = new Map<string, SessionNode>();
  /** What was last drawn, so that the clock redraws only what reads differently now. */
  #drawn = '';
  #waiting: NodeJS.Timeout | undefined;

  constructor(sessions: LiveSessions) {
    this.#sessions = sessions;
    const clock = setInterval(() => this.#tick(), 1000);
    this.#disposables = [
      sessions.onChange(() => this.#soon()),
      { dispose: () => clearInterval(clock) },
      { dispose: () => clearTimeout(this.#waiting) },
      this.#changed,
    ];
  }

  getChildren(node?: SessionNode): SessionNode[] {
    if (node === undefined) return this.#sessions.all.map((session) => this.#node(session.id));
    if (node.kind === 'row') return [];
    const session = this.#sessions.all.find((each) => each.id === node.id);
    if (session?.kind !== 'joined') return [];
    return sessionLook(session.info, Date.now(), t).rows.map((row) => ({ kind: 'row', id: node.id, row }));
  }

  getParent(node: SessionNode): SessionNode | undefined {
    return node.kind === 'row' ? this.#node(node.id) : undefined;
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    return node.kind === 'row' ? this.#rowItem(node.id, node.row) : this.#sessionItem(node.id);
  }

  #node(id: string): SessionNode {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node: SessionNode = { kind: 'session', id };
    this.#nodes.set(id, node);
    return node;
  }

  #rowItem(id: string, row: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(row.label);
    item.id = `${id}/${row.key}`;
    item.iconPath = themeIcon(row.icon);
    item.contextValue = `row.${row.key.replace(/-\d+$/, '')}`;
    if (row.description !== undefined) item.description = row.description;
    if (row.tooltip !== undefined && row.tooltip !== '') item.tooltip = tooltip([[row.label, row.tooltip]]);
    return item;
  }

  #sessionItem(id: string): vscode.TreeItem {
    const session = this.#sessions.all.find((each) => each.id === id);
    const item = new vscode.TreeItem(id, vscode.TreeItemCollapsibleState.Expanded);
    item.id = id;
    if (session === undefined) return item;
    if (session.kind === 'apart') {
      item.collapsibleState = vscode.TreeItemCollapsibleState.None;
      item.description = stateWord({ state: session.record.state, linked: false }, t);
      item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
      item.tooltip = tooltip([[t('Not joined'), session.problem]]);
      item.contextValue = 'apart';
      return item;
    }
    const look = sessionLook(session.info, Date.now(), t);
    item.description = look.description;
    item.iconPath = themeIcon(look.icon);
    item.contextValue = look.contextValue;
    item.tooltip = tooltip(look.tooltip);
    item.accessibilityInformation = { label: look.spoken };
    item.command = { command: 'kdMcp.openTerminal', title: t('Open Terminal'), arguments: [this.#node(id)] };
    return item;
  }

  /** Everything that is on the screen now, as text. */
  #picture(): string {
    return JSON.stringify(this.#sessions.all.map((session) => drawnText(session)));
  }

  /** A command of an agent makes its session busy for a moment: that need not flicker. */
  #soon(): void {
    this.#waiting ??= setTimeout(() => this.#redraw(), SETTLE_MS);
  }

  #tick(): void {
    if (this.#sessions.all.length > 0 && this.#picture() !== this.#drawn) this.#redraw();
  }

  #redraw(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#drawn = this.#picture();
    const live = new Set(this.#sessions.all.map((session) => session.id));
    for (const id of [...this.#nodes.keys()]) if (!live.has(id)) this.#nodes.delete(id);
    this.#changed.fire(undefined);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function drawnText(session: LiveSession): unknown {
  if (session.kind === 'apart') return [session.id, session.problem, session.record.state];
  const { description, rows } = sessionLook(session.info, Date.now(), t);
  return [session.id, description, rows.map((row) => [row.label, row.description])];
}

/** For quick picks: the same words as in the tree. */
export function pickItem(session: LiveSession): vscode.QuickPickItem & { readonly id: string } {
  if (session.kind === 'apart') {
    return {
      id: session.id,
      label: session.id,
      description: session.problem,
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
