/** Tells that something in a folder changed. Events come double or not at all, so they are only a reason to look. */
import { type FSWatcher, watch } from 'node:fs';
import { ensurePrivateFolder } from '../host/files.ts';
import type { Disposable } from './sessions.ts';

const DEBOUNCE_MS = 50;
/** Where the system cannot watch (no more watches, a network folder), the listener looks by itself. */
const LOOK_MS = 3_000;

/** Makes the folder if it does not exist. */
export function watchFolder(folder: string, listener: () => void): Disposable {
  let watcher: FSWatcher | undefined;
  let soon: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let disposed = false;
  const tell = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      listener();
    }, DEBOUNCE_MS);
  };
  const again = (): void => {
    watcher?.close();
    watcher = undefined;
    clearTimeout(retry);
    if (disposed) return;
    retry = setTimeout(() => {
      tell();
      begin();
    }, LOOK_MS);
    retry.unref();
  };
  const begin = (): void => {
    try {
      ensurePrivateFolder(folder);
      watcher = watch(folder, { persistent: false }, (_event, name) => {
        // A record is written under another name first.
        if (name === null || !name.endsWith('.tmp')) tell();
      });
      watcher.on('error', again);
    } catch {
      again();
    }
  };
  begin();
  return {
    dispose: () => {
      disposed = true;
      watcher?.close();
      clearTimeout(soon);
      clearTimeout(retry);
    },
  };
}
