/** Follows the state file and offers to connect when a new one is there. The key is never shown. */
import * as vscode from 'vscode';
import type { Backstage } from './backstage.ts';
import type { LiveSessions } from './live-sessions.ts';
import { type Log, messageOf } from './log.ts';
import { ownSettings } from './settings.ts';

const t = vscode.l10n.t;

export interface AutoConnectParts {
  readonly backstage: Backstage;
  readonly sessions: LiveSessions;
  readonly log: Log;
  /** Starts from the state file. Tells the person itself when that fails. */
  readonly connect: () => Promise<void>;
}

function followStateFile({ backstage, sessions, log, connect }: AutoConnectParts): vscode.Disposable {
  const watch = backstage.watchStateFile({
    onReady: (ready) => void vscode.commands.executeCommand('setContext', 'kdMcp.stateFileReady', ready),
    onProblem: (problem) => log.warn(problem),
    onNew: async (seen) => {
      const { autoConnect } = ownSettings();
      log.info(`State file for ${seen.guestHost}, port ${seen.port} (${autoConnect})`);
      if (autoConnect === 'never') return;
      if (sessions.all.some((session) => session.id === `net-${seen.port}`)) {
        log.info(
          `Session net-${seen.port} is there already; a new key takes effect when it is started again.`,
        );
        return;
      }
      if (autoConnect === 'ask') {
        const yes = t('Connect');
        const choice = await vscode.window.showInformationMessage(
          t('Kernel debugging is set up for {0} on port {1}.', seen.guestHost, seen.port),
          yes,
        );
        if (choice !== yes) return;
      }
      await connect();
    },
  });
  log.debug(`Watching ${backstage.stateFilePath}`);
  return watch;
}

/** For the welcome view. Elsewhere than on Windows nobody expects a kd.exe: the simulator is what there is. */
async function noteDebugger(backstage: Backstage, log: Log): Promise<void> {
  const missing = await backstage.missingDebugger();
  if (missing !== undefined) log.info(missing);
  const told = missing !== undefined && process.platform === 'win32';
  await vscode.commands.executeCommand('setContext', 'kdMcp.noDebugger', told);
}

/** Loads what is behind the scenes and follows the state file; again whenever the settings changed. */
export class AutoConnect {
  readonly #open: () => Promise<AutoConnectParts>;
  readonly #log: Log;
  #following: vscode.Disposable | undefined;
  #generation = 0;

  constructor(open: () => Promise<AutoConnectParts>, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  async restart(): Promise<void> {
    const generation = ++this.#generation;
    try {
      const parts = await this.#open();
      if (generation !== this.#generation) return;
      this.#following?.dispose();
      this.#following = followStateFile(parts);
      for (const warning of parts.backstage.warnings) this.#log.warn(warning);
      await noteDebugger(parts.backstage, this.#log);
    } catch (error) {
      this.#log.error(messageOf(error));
    }
  }

  dispose(): void {
    this.#generation += 1;
    this.#following?.dispose();
  }
}
