/** Follows the state file and offers to connect when a new one is there. The key is never shown. */
import * as vscode from 'vscode';
import type { Backstage } from './backstage.ts';
import type { LiveSessions } from './live-sessions.ts';
import { type Log, messageOf, showError } from './log.ts';
import { type AutoConnect as Mode, ownSettings } from './settings.ts';
import { type StateFileNews, type StateFileSeen, stateFileNews } from './state-file-news.ts';
import { stop } from './stop.ts';

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
      try {
        if (await isWanted(seen, await stateFileNews(seen, sessions.all), autoConnect)) await connect();
      } catch (error) {
        showError(log, error);
      }
    },
  });
  log.debug(`Watching ${backstage.stateFilePath}`);
  return watch;
}

/** Whether to connect now. What concerns a session that lives is said, and a person decides. */
async function isWanted(seen: StateFileSeen, news: StateFileNews, mode: Mode): Promise<boolean> {
  const { showInformationMessage: inform, showWarningMessage: warn } = vscode.window;
  switch (news.kind) {
    case 'known':
      return false;
    case 'new': {
      const yes = t('Connect');
      const offer = t('Kernel debugging is set up for {0} on port {1}.', seen.guestHost, seen.port);
      return mode === 'always' || (await inform(offer, yes)) === yes;
    }
    case 'other-port': {
      const yes = t('Connect');
      const words = t(
        'The state file now names port {0} for {1}. {2} goes on with the port it has.',
        seen.port,
        seen.guestHost,
        news.id,
      );
      return (await warn(words, yes)) === yes;
    }
    case 'other-key': {
      const yes = t('Restart Session');
      const words = t(
        'The state file now has another key for {0}. {1} goes on with the key it has.',
        seen.guestHost,
        news.session.id,
      );
      if ((await warn(words, yes)) !== yes) return false;
      await stop(news.session, 'resume');
      return true;
    }
  }
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
