/**
 * Watches a state file that may not exist yet, in a folder that may not exist yet.
 *
 * `fs.watch` on the folder tells at once where it works; polling the file's size and time finds the rest: a folder
 * made later, a network drive, a watcher that died.
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readStateFile, StateFileMissing } from './read.ts';
import type { StateFile, StateFileError } from './schema.ts';

export interface WatchOptions {
  /**
   * The file holds another state than before, or can be used again after it could not. Not called for a usable file that
   * was written again with the same content.
   */
  readonly onState: (state: StateFile) => void;
  /** The file is there and cannot be used; the last good state stays. Called once for each different message. */
  readonly onError?: (error: StateFileError) => void;
  /** The file went away; the last good state stays. */
  readonly onGone?: () => void;
  /** Quiet time after a change before the file is read, ms. */
  readonly debounceMs?: number;
  readonly pollMs?: number;
  /** How long a locked or half-written file is tried again, ms. */
  readonly retryMs?: number;
}

export interface StateFileWatch {
  /** The last good state. */
  readonly state: StateFile | undefined;
  /** Settles when the file was looked at for the first time. */
  readonly ready: Promise<void>;
  dispose(): void;
}

/** Watches `path` until disposed. */
export function watchStateFile(path: string, options: WatchOptions): StateFileWatch {
  return new Watch(path, options);
}

class Watch implements StateFileWatch {
  readonly #path: string;
  readonly #options: WatchOptions;
  readonly #abort = new AbortController();
  readonly #poll: NodeJS.Timeout;
  readonly ready: Promise<void>;
  #state: StateFile | undefined;
  #content = '';
  #complaint = '';
  #stamp = '';
  #folder: FSWatcher | undefined;
  #debounce: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(path: string, options: WatchOptions) {
    this.#path = path;
    this.#options = options;
    this.#watchFolder();
    this.ready = this.#look();
    this.#poll = setInterval(() => void this.#check(), options.pollMs ?? 2000);
    this.#poll.unref();
  }

  get state(): StateFile | undefined {
    return this.#state;
  }

  dispose(): void {
    this.#abort.abort();
    clearInterval(this.#poll);
    clearTimeout(this.#debounce);
    this.#folder?.close();
    this.#folder = undefined;
  }

  #watchFolder(): void {
    if (this.#folder !== undefined || this.#abort.signal.aborted) return;
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        if (name === null || name.toLowerCase() === basename(this.#path).toLowerCase()) this.#changed();
      });
      const lost = () => {
        watcher.close();
        if (this.#folder === watcher) this.#folder = undefined;
      };
      watcher.on('error', lost);
      this.#folder = watcher;
    } catch {
      // No such folder yet: the poll tries again.
    }
  }

  async #check(): Promise<void> {
    const stamp = await stampOf(this.#path);
    // A watcher of a folder that was removed and made again stays silent for ever.
    if (stamp === '' || stamp !== this.#stamp) {
      this.#folder?.close();
      this.#folder = undefined;
    }
    this.#watchFolder();
    if (stamp !== this.#stamp) this.#changed();
  }

  #changed(): void {
    if (this.#abort.signal.aborted) return;
    clearTimeout(this.#debounce);
    this.#debounce = setTimeout(() => void this.#look(), this.#options.debounceMs ?? 150);
    this.#debounce.unref();
  }

  /** Reads now; a change in the meantime makes it read once more. */
  async #look(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#readAll();
    await this.#reading;
    this.#reading = undefined;
  }

  async #readAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#readOnce();
    } while (this.#again && !this.#abort.signal.aborted);
  }

  async #readOnce(): Promise<void> {
    const signal = this.#abort.signal;
    this.#stamp = await stampOf(this.#path);
    const retryMs = this.#options.retryMs === undefined ? {} : { retryMs: this.#options.retryMs };
    const result = await readStateFile(this.#path, { signal, ...retryMs }).then(
      (state) => ({ state }),
      (error: StateFileError) => ({ error }),
    );
    if (signal.aborted) return;
    if ('error' in result) {
      this.#complain(result.error);
      return;
    }
    const usable = this.#complaint === '';
    this.#complaint = '';
    const content = JSON.stringify(result.state);
    if (content === this.#content && usable) return;
    this.#content = content;
    this.#state = result.state;
    this.#options.onState(result.state);
  }

  #complain(error: StateFileError): void {
    if (error.message === this.#complaint) return;
    this.#complaint = error.message;
    if (!(error instanceof StateFileMissing)) this.#options.onError?.(error);
    else if (this.#state !== undefined) this.#options.onGone?.();
  }
}

/** Identity, time and size of the file; '' when it cannot be seen. */
async function stampOf(path: string): Promise<string> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}
