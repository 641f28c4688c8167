/** The commands, as a table: id and what it does. Titles, icons and conditions are in the manifest. */
import * as vscode from 'vscode';
import type { ServerCommand } from '../client/configuration.ts';
import type { Session } from '../client/sessions.ts';
import type { Connection } from '../kd/connection.ts';
import { HALTED_STATES, type KdState } from '../kd/model.ts';
import { CAN_BREAK, CAN_GO, showActions } from './actions.ts';
import type { Backstage } from './backstage.ts';
import type { CommandHistory } from './command-history.ts';
import { copyConfiguration } from './copy-configuration.ts';
import type { Doctor } from './doctor.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { LiveSessions } from './live-sessions.ts';
import { type Log, showError } from './log.ts';
import { rescueGuest } from './rescue.ts';
import { runCommand } from './run-command.ts';
import { breakIn, go, resumeForWinrm } from './run-control.ts';
import { setLevel } from './set-level.ts';
import { closeToOthers, openInWinDbg } from './share.ts';
import { askConnection } from './start-picker.ts';
import { stop, stopFrozen } from './stop.ts';
import type { SessionTerminals } from './terminals.ts';
import { pickItem } from './tree-items.ts';
import { openWalkthrough } from './walkthrough.ts';

const t = vscode.l10n.t;

export interface CommandParts {
  readonly sessions: LiveSessions;
  readonly ended: EndedSessions;
  readonly terminals: SessionTerminals;
  readonly secrets: vscode.SecretStorage;
  readonly memory: vscode.Memento;
  readonly history: CommandHistory;
  readonly doctor: Doctor;
  readonly backstage: () => Promise<Backstage>;
  /** How other clients start the MCP server of this window, also after an update. */
  readonly server: () => Promise<ServerCommand>;
  readonly log: Log;
}

/** How the tree names an ended session. */
function endedKeyOf(node: unknown): string | undefined {
  const { kind, key } = (node ?? {}) as { kind?: unknown; key?: unknown };
  return kind === 'ended' && typeof key === 'string' ? key : undefined;
}

/** The session a command is about: the tree's node, the only one that qualifies, or one the person picks. */
async function choose(
  sessions: LiveSessions,
  node: unknown,
  states?: readonly KdState[],
): Promise<Session | undefined> {
  const { id } = (node ?? {}) as { id?: unknown };
  if (typeof id === 'string') {
    sessions.use(id);
    return sessions.find(id);
  }
  const fitting = sessions.all.filter(
    (each) => each.kind === 'joined' && (states === undefined || states.includes(each.info.status.state)),
  );
  const [first, second] = fitting;
  if (first === undefined) {
    void vscode.window.showInformationMessage(t('KD: No session is in a state for this.'));
    return undefined;
  }
  const picked =
    second === undefined
      ? first
      : await vscode.window.showQuickPick(fitting.map(pickItem), { placeHolder: t('Choose a session') });
  if (picked === undefined) return undefined;
  sessions.use(picked.id);
  return sessions.find(picked.id);
}

/** Registers all commands. An error of any of them is shown to the person, with a way to the log. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  const { sessions, ended, terminals, log } = parts;
  const on = async (
    node: unknown,
    act: (session: Session) => unknown,
    states?: readonly KdState[],
  ): Promise<void> => {
    const session = await choose(sessions, node, states);
    if (session !== undefined) await act(session);
  };
  const start = async (title: string, what: 'state-file' | 'simulated' | Connection) => {
    const { session, existing } = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title },
      async () => {
        const started = await (await parts.backstage()).start(what);
        return { session: await sessions.join(started.id), existing: started.existing };
      },
    );
    if (existing)
      void vscode.window.showInformationMessage(t('KD: {0} runs already and was joined.', session.id));
    terminals.show(session, { preserveFocus: false });
    return session.id;
  };

  const dismiss = async (key: string | undefined) => {
    await ended.dismiss(key);
    terminals.closeEnded(ended.all.map(({ id }) => id));
  };

  const table: Readonly<Record<string, (node?: unknown) => unknown>> = {
    'kdMcp.startFromState': () => start(t('Starting from the state file'), 'state-file'),
    'kdMcp.start': async () => {
      const backstage = await parts.backstage();
      const connection = await askConnection({ backstage, memory: parts.memory, secrets: parts.secrets });
      return connection === undefined ? undefined : start(t('Starting a session'), connection);
    },
    'kdMcp.startSimulated': () => start(t('Starting a simulated session'), 'simulated'),
    'kdMcp.breakIn': (node) => on(node, breakIn, CAN_BREAK),
    'kdMcp.go': (node) => on(node, go, CAN_GO),
    'kdMcp.toggle': () => {
      const session = sessions.current;
      if (session === undefined) return undefined;
      return CAN_GO.includes(session.info.status.state) ? go(session) : breakIn(session);
    },
    'kdMcp.resumeForWinrm': (node) =>
      on(node, async (session) => resumeForWinrm(session, await parts.backstage()), [...CAN_GO, 'running']),
    'kdMcp.runCommand': (node) =>
      on(node, (session) => runCommand(session, terminals, parts.history), ['broken', 'busy']),
    'kdMcp.openTerminal': (node) => on(node, (session) => terminals.show(session, { preserveFocus: false })),
    'kdMcp.openInWinDbg': (node) =>
      on(node, async (session) => openInWinDbg(session, await parts.backstage())),
    'kdMcp.unshare': (node) => on(node, closeToOthers),
    'kdMcp.openTranscript': (node) => {
      const record = ended.find(endedKeyOf(node) ?? '');
      return record === undefined
        ? on(node, (session) => openFile(session.info.transcriptPath))
        : openFile(record.transcript);
    },
    'kdMcp.copyId': (node) => on(node, (session) => vscode.env.clipboard.writeText(session.id)),
    'kdMcp.pin': (node) => on(node, (session) => session.pin(true), HALTED_STATES),
    'kdMcp.unpin': (node) => on(node, (session) => session.pin(false)),
    'kdMcp.takeControl': (node) => on(node, (session) => session.control(true)),
    'kdMcp.releaseControl': (node) => on(node, (session) => session.control(false)),
    'kdMcp.setLevel': (node) => on(node, setLevel),
    'kdMcp.rescue': async (node) => {
      const wanted = ended.find(endedKeyOf(node) ?? '')?.id;
      await rescueGuest(await parts.backstage(), parts.secrets, wanted);
      await sessions.refreshAll();
    },
    'kdMcp.dismiss': (node) => dismiss(endedKeyOf(node)),
    'kdMcp.dismissAll': () => dismiss(undefined),
    'kdMcp.stop': (node) => on(node, (session) => stop(session, 'resume')),
    'kdMcp.stopFrozen': (node) => on(node, (session) => stopFrozen(session)),
    'kdMcp.showActions': () => showActions(sessions.current),
    'kdMcp.copyConfiguration': async (client) => copyConfiguration(await parts.server(), client),
    'kdMcp.doctor': () => parts.doctor.run(),
    'kdMcp.openWalkthrough': () => openWalkthrough(),
    'kdMcp.refresh': () => sessions.refresh(),
    'kdMcp.showLog': () => log.show(),
  };
  return vscode.Disposable.from(
    ...Object.entries(table).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (node?: unknown) => {
        try {
          return await run(node);
        } catch (error) {
          showError(log, error);
          return undefined;
        }
      }),
    ),
  );
}

function openFile(path: string): Thenable<unknown> {
  return vscode.window.showTextDocument(vscode.Uri.file(path));
}
