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

/** A folder in which somebody else has a say. The message is for the user. */
export class ForeignFolder extends Error {
  override readonly name = 'ForeignFolder';
}

const STICKY = 0o1000;

/**
 * Sees to it that nobody else can put files into a folder: records name sockets to connect to, and transcripts are
 * believed. Takes away what others may write. On Windows the user's profile is that already.
 * @throws ForeignFolder when it is another user's, or one that all share. One that is not there is fine.
 */
export function requireOwnFolder(path: string): void {
  if (process.platform === 'win32') return;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const advice = 'Name a folder of your own (--home DIR, KD_MCP_HOME, kd.workdir).';
  if (found.uid !== process.getuid?.())
    throw new ForeignFolder(`${path} belongs to another user (uid ${found.uid}). ${advice}`);
  if ((found.mode & 0o022) === 0) return;
  if ((found.mode & STICKY) !== 0) throw new ForeignFolder(`${path} is shared by all users. ${advice}`);
  chmodSync(path, found.mode & 0o755);
}

/** Makes a folder that only its owner can enter. @throws ForeignFolder as {@link requireOwnFolder}. */
export function ensurePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  requireOwnFolder(path);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
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
