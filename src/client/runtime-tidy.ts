/** Removing copies of the program that nobody runs from. */
import { statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../host/process-identity.ts';
import { isEdition, isRuntimeUsed, listNames } from '../host/runtime-folder.ts';
import { UNFINISHED, unfinishedName } from './runtime-copy.ts';

/** Nothing is copied for so long; the process whose number it bears may be another one by then. */
const STALE_MS = 3_600_000;

/** Keeps `mine` and what is in use. Never rejects: what cannot be removed now is there the next time. */
export async function tidyRuntimes(copies: string, mine: string): Promise<void> {
  for (const name of listNames(copies)) {
    if (isLeftOver(copies, name)) await remove(join(copies, name)).catch(() => {});
    else if (isEdition(name) && name !== mine) await retire(copies, name).catch(() => {});
  }
}

/** First out of the way: a process that starts from it between look and removal is seen, and keeps it. */
async function retire(copies: string, edition: string): Promise<void> {
  const copy = join(copies, edition);
  if (isRuntimeUsed(copy)) return;
  const aside = join(copies, unfinishedName());
  await rename(copy, aside);
  if (isRuntimeUsed(aside)) await rename(aside, copy);
  else await remove(aside);
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

function isLeftOver(copies: string, name: string): boolean {
  if (!name.startsWith(UNFINISHED)) return false;
  const pid = Number.parseInt(name.slice(UNFINISHED.length), 10);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid, undefined)) return true;
  const since = statSync(join(copies, name), { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && Date.now() - since > STALE_MS;
}
