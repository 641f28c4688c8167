/** The extension: builds its objects and registers them. No logic. */
import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { Program } from './client/program.ts';
import { createSessions } from './client/registry.ts';
import { createRuntime } from './client/runtime.ts';
import { homeFolder } from './config/home.ts';
import { AgentTerminals } from './ui/agent-terminals.ts';
import { Alerts } from './ui/alerts.ts';
import { AutoConnect } from './ui/auto-connect.ts';
import { AutoRescue } from './ui/auto-rescue.ts';
import type { Backstage } from './ui/backstage.ts';
import { CommandHistory } from './ui/command-history.ts';
import { registerCommands } from './ui/commands.ts';
import { followContextKeys } from './ui/context-keys.ts';
import { Doctor } from './ui/doctor.ts';
import { EndedSessions } from './ui/ended-sessions.ts';
import { asEnvironment } from './ui/environment.ts';
import { LiveSessions } from './ui/live-sessions.ts';
import { createLog, messageOf } from './ui/log.ts';
import { createNotifier, tellRescued } from './ui/notifications.ts';
import { PastCommands } from './ui/past-commands.ts';
import { registerProvider } from './ui/provider.ts';
import { secretName } from './ui/rescue.ts';
import { RuntimeCare } from './ui/runtime-care.ts';
import { mirroredNames, mirroredSettings, onSettingsChange, ownSettings } from './ui/settings.ts';
import { StatusBar } from './ui/status-bar.ts';
import { SessionTerminals } from './ui/terminals.ts';
import { serverVersion } from './ui/tools-version.ts';
import { SessionTree, VIEW_ID } from './ui/tree.ts';

export function activate(context: vscode.ExtensionContext): void {
  const log = createLog();
  const settingsChanged = new vscode.EventEmitter<void>();
  const names = mirroredNames(context.extension.packageJSON);
  const home = homeFolder(optional('home', ownSettings().home));
  const person = `${userName()} (VS Code)`;
  const identity = { kind: 'person', name: person } as const;

  const runtime = createRuntime({ folder: context.asAbsolutePath('dist'), home });
  const server = ({ command, script, env = {} }: Program) => {
    const { configFile } = ownSettings();
    return {
      command,
      args: [script, 'serve', '--home', home, ...(configFile === undefined ? [] : ['--config', configFile])],
      env: { ...env, ...asEnvironment(mirroredSettings(names)) },
    };
  };
  const provider = registerProvider(
    async () => ({
      ...server(await runtime.program()),
      version: serverVersion(String(context.extension.packageJSON.version)),
    }),
    settingsChanged.event,
    log,
  );

  const sessions = new LiveSessions(createSessions({ home, identity }), (error) =>
    log.warn(messageOf(error)),
  );
  const behind = () => ({
    home,
    identity,
    program: runtime.program,
    settings: mirroredSettings(names),
    ...optional('configFile', ownSettings().configFile),
  });
  let opened: Promise<Backstage> | undefined;
  const backstage = () => {
    opened ??= import('./backstage.ts').then(({ openBackstage }) => openBackstage(behind()));
    // A wrong configuration is read again at the next try.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const history = new CommandHistory(context.globalState);
  const terminals = new SessionTerminals(sessions, person, history, log);
  const doctor = new Doctor(async () => (await import('./backstage.ts')).checkSetup(behind()));
  const ended = new EndedSessions(() => sessions.ended, context.globalState);
  const past = new PastCommands(sessions, () => tree.refresh());
  const tree = new SessionTree(sessions, ended, past);
  const autoConnect = new AutoConnect(
    async () => ({
      backstage: await backstage(),
      sessions,
      log,
      connect: async () => void (await vscode.commands.executeCommand('kdMcp.startFromState')),
    }),
    log,
  );

  const care = new RuntimeCare(runtime, sessions, log);

  context.subscriptions.push(
    log,
    provider,
    settingsChanged,
    onSettingsChange(() => {
      opened = undefined;
      settingsChanged.fire();
      void autoConnect.restart();
    }),
    sessions,
    terminals,
    doctor,
    past,
    tree,
    new AgentTerminals(
      sessions,
      () => ownSettings().openAgentTerminals,
      (session) => terminals.show(session, { preserveFocus: true }),
    ),
    new AutoRescue({
      sessions,
      backstage,
      keptKey: (port) => context.secrets.get(secretName(port)),
      tell: tellRescued,
      onProblem: (problem) => log.warn(problem),
    }),
    new Alerts({ sessions, tell: createNotifier(sessions, log), isWatched: (id) => terminals.isWatched(id) }),
    vscode.window.createTreeView(VIEW_ID, { treeDataProvider: tree }),
    new StatusBar(sessions),
    followContextKeys(sessions, ended),
    registerCommands({
      sessions,
      ended,
      terminals,
      backstage,
      server: async () => server(await runtime.lasting()),
      log,
      secrets: context.secrets,
      memory: context.globalState,
      history,
      doctor,
    }),
    autoConnect,
    care,
  );
  void sessions.refresh();
  // Not part of activation: this loads the configuration's libraries.
  setTimeout(() => {
    void autoConnect.restart();
    void care.start();
  }, 500);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without a name, as in some containers.
    return 'person';
  }
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: string });
}
