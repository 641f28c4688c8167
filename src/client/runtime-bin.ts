/** `<home>/bin`: the Node and the script that other clients' configurations name, kept up to the newest copy. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, link, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateFolder, writeAtomic } from '../host/files.ts';
import { binFolder, CARRIED_NODE, LASTING_SCRIPT, listNames } from '../host/runtime-folder.ts';
import { SessionError } from './sessions.ts';

/** A Node that was in use when a newer one came. */
const REPLACED = '.replaced-';

/** @throws SessionError when there is nothing in `bin` afterwards that would run. */
export async function placeBin(home: string, copy: string): Promise<void> {
  const bin = binFolder(home);
  try {
    ensurePrivateFolder(bin);
    placeScript(join(copy, LASTING_SCRIPT), join(bin, LASTING_SCRIPT));
    await placeNode(join(copy, CARRIED_NODE), bin);
  } catch (error) {
    throw new SessionError(
      `KD-MCP cannot write to ${bin} (${error instanceof Error ? error.message : String(error)}). Allow it, or set kdMcp.home to another folder, and reload the window.`,
    );
  }
  // Those that still run stay until the next time.
  for (const name of listNames(bin).filter((each) => each.startsWith(REPLACED)))
    await rm(join(bin, name), { force: true }).catch(() => {});
}

function placeScript(from: string, to: string): void {
  const text = readFileSync(from, 'utf8');
  if (textIn(to) !== text) writeAtomic(to, text);
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A running program can be neither replaced nor removed on Windows, but it can be renamed. */
async function placeNode(from: string, bin: string): Promise<void> {
  const node = join(bin, CARRIED_NODE);
  if (await isSame(from, node)) return;
  const fresh = join(bin, `${REPLACED}${randomBytes(6).toString('hex')}`);
  try {
    await linkOrCopy(from, fresh);
    await rename(fresh, node).catch(async () => {
      const old = `${fresh}-old`;
      await rename(node, old);
      try {
        await rename(fresh, node);
      } catch (error) {
        await rename(old, node);
        throw error;
      }
    });
  } finally {
    await rm(fresh, { force: true }).catch(() => {});
  }
}

/** One file under two names takes its 90 MB once. Where that cannot be, the copy gets the time of the original. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
    const { atime, mtime } = await stat(from);
    await utimes(to, atime, mtime);
  }
}

/** File systems keep times to 2 s at worst (FAT). */
const TIME_STEP_MS = 2_000;

async function isSame(from: string, to: string): Promise<boolean> {
  try {
    const [one, other] = await Promise.all([stat(from), stat(to)]);
    return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) <= TIME_STEP_MS;
  } catch {
    return false;
  }
}
