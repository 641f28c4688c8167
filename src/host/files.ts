/** Files and folders that belong to one user: made owner-only, replaced atomically, created exclusively. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Makes a folder that only its owner can enter. On Windows the user's profile is that already. */
export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** Replaces a file in one step: a reader sees the old or the new text, never half of one. */
export function writeAtomic(path: string, text: string): void {
  const temporary = writeTemporary(path, text);
  try {
    retryWhileOpen(() => renameSync(temporary, path));
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
}

/** Creates a file with its text in one step. False when there is one already. */
export function createExclusive(path: string, text: string): boolean {
  const temporary = writeTemporary(path, text);
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    return createOpenExclusive(path, text);
  } finally {
    removeFile(temporary);
  }
}

/** For file systems without hard links; readers skip a record that is not complete yet. */
function createOpenExclusive(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
  return true;
}

/** Removes a file; one that is not there is fine. */
export function removeFile(path: string): void {
  try {
    retryWhileOpen(() => unlinkSync(path));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** `ENOENT`, `EACCES`, … of an error of Node's own. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function writeTemporary(path: string, text: string): string {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  return temporary;
}

/** On Windows a file that another program has open for a moment can neither be replaced nor removed. */
function retryWhileOpen(action: () => void): void {
  for (let tries = 1; ; tries++) {
    try {
      action();
      return;
    } catch (error) {
      const busy = ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
      if (process.platform !== 'win32' || !busy || tries === 20) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
