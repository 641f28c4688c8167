/** `<home>/logs/host-<id>.log`: what went wrong in a host. Bounded, owner-only, without secrets. */
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder } from './files.ts';

const MAX_BYTES = 256 * 1024;
const MAX_ENTRY = 8 * 1024;

export class HostLog {
  readonly #folder: string;
  readonly #path: string;
  readonly #redact: (text: string) => string;

  constructor(folder: string, path: string, redact: (text: string) => string) {
    this.#folder = folder;
    this.#path = path;
    this.#redact = redact;
  }

  /** Never throws: a log that cannot be written must not end a session. */
  write(what: string, error?: unknown): void {
    try {
      const detail =
        error instanceof Error ? (error.stack ?? error.message) : error === undefined ? '' : String(error);
      const entry = this.#redact(`${what}${detail === '' ? '' : `: ${detail}`}`).slice(0, MAX_ENTRY);
      // A home that was deleted is not made again for this.
      if (!existsSync(dirname(this.#folder))) return;
      ensurePrivateFolder(this.#folder);
      this.#rotate();
      appendFileSync(this.#path, `${new Date().toISOString()} ${entry}\n`, { mode: 0o600 });
    } catch {
      // Nowhere left to say it.
    }
  }

  #rotate(): void {
    try {
      if (statSync(this.#path).size > MAX_BYTES) renameSync(this.#path, `${this.#path}.old`);
    } catch {
      // No log yet.
    }
  }
}
