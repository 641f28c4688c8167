/** Puts the program where it outlasts this extension, early and not when it is needed; later removes older ones. */
import type { Runtime } from '../client/runtime.ts';
import type { LiveSessions } from './live-sessions.ts';
import { type Log, showError } from './log.ts';

/** The process of a session that is over takes a moment to go. */
const TIDY_AFTER_MS = 5_000;

export class RuntimeCare {
  readonly #runtime: Runtime;
  readonly #log: Log;
  readonly #changes: { dispose(): void };
  #soon: NodeJS.Timeout | undefined;

  constructor(runtime: Runtime, sessions: LiveSessions, log: Log) {
    this.#runtime = runtime;
    this.#log = log;
    let before = 0;
    this.#changes = sessions.onChange(() => {
      const now = sessions.all.length;
      if (now < before) this.#tidySoon();
      before = now;
    });
  }

  /** Not part of activation: the first time, this copies some 90 MB. */
  async start(): Promise<void> {
    try {
      const { command, script } = await this.#runtime.program();
      this.#log.info(`Runs ${script} with ${command}`);
      await this.#runtime.tidy();
    } catch (error) {
      showError(this.#log, error);
    }
  }

  #tidySoon(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.#runtime.tidy(), TIDY_AFTER_MS);
  }

  dispose(): void {
    this.#changes.dispose();
    clearTimeout(this.#soon);
  }
}
