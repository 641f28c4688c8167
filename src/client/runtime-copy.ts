/** Copying a program into `<home>/runtime`: whole or not at all, however many windows do it at the same time. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, stat, copyFile as systemCopy } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ensurePrivateFolder, errorCode } from '../host/files.ts';
import { CARRIED_NODE, MANIFEST_FILE, type RuntimeManifest, usersFolder } from '../host/runtime-folder.ts';
import { programIsGone } from './program.ts';
import { SessionError } from './sessions.ts';

export type CopyFile = (from: string, to: string) => Promise<void>;

/** Begins the name of a folder on its way in or out; behind it stands the process that works on it. */
export const UNFINISHED = '.unfinished-';

/** On Windows a folder cannot be renamed while a virus scanner reads what is new in it. */
const RENAME_TRIES = process.platform === 'win32' ? 50 : 1;
const RENAME_AGAIN_MS = 100;

/** A name in `<home>/runtime` for what nobody may run from. */
export function unfinishedName(): string {
  return `${UNFINISHED}${process.pid}-${randomBytes(6).toString('hex')}`;
}

/** Whether each file is there with its size: the machine may have gone down, or a cleaner come by. */
export async function isWhole(copy: string, manifest: RuntimeManifest): Promise<boolean> {
  return (await missingIn(copy, manifest)).length === 0;
}

/** The manifest last: what has one is complete. */
async function missingIn(copy: string, { files }: RuntimeManifest): Promise<readonly string[]> {
  const looked = await Promise.all(
    [...Object.keys(files), MANIFEST_FILE].map(async (path) => {
      const size = await sizeOf(join(copy, path));
      const isRight = size !== undefined && (files[path] === undefined || files[path] === size);
      return isRight ? undefined : path;
    }),
  );
  return looked.filter((path) => path !== undefined);
}

function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

/**
 * Brings `<copies>/<edition>` into being. One that has lost files gets them back where it is: sessions may run from it.
 * @throws SessionError that says why not and what to do.
 */
export async function copyRuntime(
  source: string,
  copies: string,
  manifest: RuntimeManifest,
  copyFile: CopyFile = systemCopy,
): Promise<void> {
  const copy = join(copies, manifest.edition);
  const aside = join(copies, unfinishedName());
  try {
    ensurePrivateFolder(copies);
    await mkdir(usersFolder(aside), { recursive: true, mode: 0o700 });
    for (const path of await missingIn(copy, manifest)) {
      const target = join(aside, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await copyFile(join(source, path), target);
      // The source may be read-only, and what is cannot be removed on Windows.
      await chmod(target, basename(path) === CARRIED_NODE ? 0o700 : 0o600);
      const size = manifest.files[path];
      if (size !== undefined && (await sizeOf(target)) !== size) throw new DamagedSource(path);
    }
    if (await takeName(aside, copy)) return;
    await mkdir(usersFolder(copy), { recursive: true, mode: 0o700 });
    for (const path of await missingIn(copy, manifest)) {
      await mkdir(dirname(join(copy, path)), { recursive: true, mode: 0o700 });
      await rename(join(aside, path), join(copy, path));
    }
  } catch (error) {
    throw copyFailure(error, source, copies, manifest);
  } finally {
    await rm(aside, { recursive: true, force: true }).catch(() => {});
  }
}

/** False when there is a copy of that name: it was there, or another window was faster. */
async function takeName(aside: string, copy: string): Promise<boolean> {
  for (let tries = 1; !existsSync(copy); tries++) {
    try {
      await rename(aside, copy);
      return true;
    } catch (error) {
      if (existsSync(copy)) return false;
      if (tries >= RENAME_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RENAME_AGAIN_MS));
    }
  }
  return false;
}

class DamagedSource extends Error {}

function copyFailure(error: unknown, source: string, copies: string, manifest: RuntimeManifest): Error {
  if (error instanceof DamagedSource) {
    return new SessionError(
      `KD-MCP's package is damaged (${join(source, error.message)}). Reinstall the extension and reload the window.`,
    );
  }
  if (!existsSync(join(source, MANIFEST_FILE))) return programIsGone(source);
  const code = errorCode(error);
  const what = `KD-MCP's program could not be copied to ${copies}`;
  const elsewhere = 'set kdMcp.home to another folder, and reload the window';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT': {
      const bytes = Object.values(manifest.files).reduce((sum, size) => sum + size, 0);
      return new SessionError(
        `${what}: the disk is full. It takes ${Math.ceil(bytes / 1e6)} MB: free some, or ${elsewhere}.`,
      );
    }
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new SessionError(`${what}: writing there is not allowed (${code}). Allow it, or ${elsewhere}.`);
    default:
      return new SessionError(
        `${what}: ${error instanceof Error ? error.message : String(error)}. Reload the window to try again.`,
      );
  }
}
