/** The view "KD Sessions" in the Debug container: a session, and below it what is known about it. */
import * as vscode from 'vscode';
import { type EndedSessions, endedKey } from './ended-sessions.ts';
import { forPeople } from './for-people.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { PastCommands } from './past-commands.ts';
import { sessionLook } from './session-look.ts';
import type { Row } from './session-rows.ts';
import { drawnText, endedItem, endedWords, rowItem, themeIcon, tooltip } from './tree-items.ts';
import { stateWord } from './words.ts';

const t = vscode.l10n.t;

/** Changes that come together are drawn together. */
const SETTLE_MS = 100;

export const VIEW_ID = 'kdMcp.sessions';

/** What commands get when they are called from the tree. */
export type SessionNode =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'row'; readonly id: string; readonly row: Row }
  | { readonly kind: 'ended'; readonly key: string };

export class SessionTree implements vscode.TreeDataProvider<SessionNode> {
  readonly #sessions: LiveSessions;
  readonly #ended: EndedSessions;
  readonly #past: PastCommands;
  readonly #changed = new vscode.EventEmitter<SessionNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #disposables: { dispose(): void }[];
  /** Nodes are compared by identity: the same session must be the same object. */
  readonly #nodes = new Map<string, SessionNode>();
  /** What was last drawn, by session, so that only what reads differently now is drawn again. */
  #drawn: ReadonlyMap<string, string> = new Map();
  #waiting: NodeJS.Timeout | undefined;

  constructor(sessions: LiveSessions, ended: EndedSessions, past: PastCommands) {
    this.#sessions = sessions;
    this.#ended = ended;
    this.#past = past;
    const clock = setInterval(() => this.#redraw(), 1000);
    this.#disposables = [
      sessions.onChange(() => this.#soon()),
      ended.onChange(() => this.#redraw()),
      { dispose: () => clearInterval(clock) },
      { dispose: () => clearTimeout(this.#waiting) },
      this.#changed,
    ];
  }

  /** Something beside the sessions' state changed. */
  refresh(): void {
    this.#soon();
  }

  getChildren(node?: SessionNode): SessionNode[] {
    if (node === undefined) {
      return [
        ...this.#sessions.all.map((session) => this.#node(session.id)),
        ...this.#ended.all.map((record) => this.#endedNode(endedKey(record))),
      ];
    }
    if (node.kind === 'ended') return [];
    const session = this.#sessions.all.find((each) => each.id === node.id);
    if (session?.kind !== 'joined') return [];
    const { rows } = sessionLook(session.info, Date.now(), t, this.#past.of(node.id));
    const shown =
      node.kind === 'session' ? rows : (rows.find((row) => row.key === node.row.key)?.children ?? []);
    return shown.map((row) => ({ kind: 'row', id: node.id, row }));
  }

  getParent(node: SessionNode): SessionNode | undefined {
    return node.kind === 'row' ? this.#node(node.id) : undefined;
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    switch (node.kind) {
      case 'row':
        return rowItem(node.id, node.row);
      case 'session':
        return this.#sessionItem(node.id);
      case 'ended':
        return endedItem(node, this.#ended.find(node.key));
    }
  }

  #node(id: string): SessionNode {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node: SessionNode = { kind: 'session', id };
    this.#nodes.set(id, node);
    return node;
  }

  #endedNode(key: string): SessionNode {
    const known = this.#nodes.get(`ended ${key}`);
    if (known !== undefined) return known;
    const node: SessionNode = { kind: 'ended', key };
    this.#nodes.set(`ended ${key}`, node);
    return node;
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
      item.tooltip = tooltip([[t('Not joined'), forPeople(session.problem, t)]]);
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

  /** Everything that is on the screen now, as text, in its order. */
  #picture(): ReadonlyMap<string, string> {
    const picture = new Map<string, string>();
    for (const session of this.#sessions.all)
      picture.set(session.id, JSON.stringify(drawnText(session, this.#past)));
    for (const record of this.#ended.all) picture.set(`ended ${endedKey(record)}`, endedWords(record));
    return picture;
  }

  /** A command of an agent makes its session busy for a moment: that need not flicker. */
  #soon(): void {
    this.#waiting ??= setTimeout(() => this.#redraw(), SETTLE_MS);
  }

  /** Draws the sessions that changed; all of them only when one came or went. */
  #redraw(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    const before = this.#drawn;
    const picture = this.#picture();
    this.#drawn = picture;
    for (const name of [...this.#nodes.keys()]) if (!picture.has(name)) this.#nodes.delete(name);
    if ([...picture.keys()].join('\n') !== [...before.keys()].join('\n')) {
      this.#changed.fire(undefined);
      return;
    }
    for (const [name, text] of picture) {
      const node = this.#nodes.get(name);
      if (node !== undefined && text !== before.get(name)) this.#changed.fire(node);
    }
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
