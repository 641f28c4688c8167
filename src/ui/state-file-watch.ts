/**
 * Watches the state file that WinRM-MCP's `configure_kdnet()` writes, also before it or its folder exists, and says
 * when a new one is there. Events come double or not at all, so each one only means "read the whole file again".
 */
import { unwatchFile, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { StateFileLook, StateFileSeen } from './backstage.ts';

/** Writers replace the file in several steps. */
const SETTLE_MS = 200;
/**
 * VS Code looks for a folder that does not exist yet only every few seconds, and not at all on some network drives:
 * this look at time and size finds what its events do not tell.
 */
const LOOK_MS = 2000;

export interface StateFileListener {
  /** A state file appeared, or its content is another. Not called for the one that was there at the start. */
  readonly onNew: (seen: StateFileSeen) => void;
  /** Whether a usable state file is there; called at the start and after each change. */
  readonly onReady: (ready: boolean) => void;
  readonly onProblem: (problem: string) => void;
}

export class StateFileWatch {
  readonly #path: string;
  readonly #watcher: vscode.FileSystemWatcher;
  readonly #onStat = () => this.#soon();
  readonly #read: () => Promise<StateFileLook>;
  readonly #listener: StateFileListener;
  #timer: NodeJS.Timeout | undefined;
  #fingerprint: string | undefined;
  #looked = false;
  #disposed = false;

  constructor(path: string, read: () => Promise<StateFileLook>, listener: StateFileListener) {
    this.#path = path;
    this.#read = read;
    this.#listener = listener;
    this.#watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.file(dirname(path)), basename(path)),
    );
    for (const event of [this.#watcher.onDidCreate, this.#watcher.onDidChange, this.#watcher.onDidDelete]) {
      event(() => this.#soon());
    }
    watchFile(path, { interval: LOOK_MS, persistent: false }, this.#onStat);
    void this.#look();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), SETTLE_MS);
  }

  async #look(): Promise<void> {
    const look = await this.#read();
    if (this.#disposed) return;
    const first = !this.#looked;
    this.#looked = true;
    this.#listener.onReady(look.kind === 'ready');
    switch (look.kind) {
      case 'ready': {
        if (look.seen.fingerprint === this.#fingerprint) return;
        this.#fingerprint = look.seen.fingerprint;
        if (!first) this.#listener.onNew(look.seen);
        return;
      }
      case 'missing':
        this.#fingerprint = undefined;
        return;
      case 'unusable':
        this.#listener.onProblem(look.problem);
        return;
    }
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    unwatchFile(this.#path, this.#onStat);
    this.#watcher.dispose();
  }
}
