/**
 * Copies of the program that live in `<home>` and outlast the extension that brought them, and who runs from each.
 *
 * ```
 * runtime/<edition>/   one copy, never changed once it is there: runtime.json, node.exe, cli.js …, users/<pid>
 * bin/                 node.exe and kd-mcp.mjs: what the configurations of other clients name; starts the newest copy
 * ```
 * VS Code's updater ends every process of Code.exe, and an update of the extension deletes its folder: neither may end a
 * session (design.md §1). Every process that runs from a copy says so in `users/`, so that nobody removes it meanwhile.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { removeFile } from './files.ts';
import { isRunning, processStart } from './process-identity.ts';

export const runtimeFolder = (home: string): string => join(home, 'runtime');
export const binFolder = (home: string): string => join(home, 'bin');

/** Beside a program that can be copied, and in each copy: what belongs to it. */
export const MANIFEST_FILE = 'runtime.json';
/** The script in `bin`. */
export const LASTING_SCRIPT = 'kd-mcp.mjs';
/** The Node that stands beside a program which brings its own. */
export const CARRIED_NODE = process.platform === 'win32' ? 'node.exe' : 'node';

const USERS = 'users';

export interface RuntimeManifest {
  /** Version and a hash of the content, as `0.1.0-3fa9c1d2`: another build of a version is another edition. */
  readonly edition: string;
  /** Size in bytes by path, relative to the manifest and with slashes. */
  readonly files: Readonly<Record<string, number>>;
}

/** Undefined where the program is not one that can be copied. */
export function readManifest(folder: string): RuntimeManifest | undefined {
  try {
    const value: { edition?: unknown; files?: unknown } = JSON.parse(
      readFileSync(join(folder, MANIFEST_FILE), 'utf8'),
    );
    const { edition, files } = value;
    if (typeof edition !== 'string' || versionOf(edition) === undefined) return undefined;
    if (typeof files !== 'object' || files === null) return undefined;
    const entries = Object.entries(files).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && isInside(entry[0]),
    );
    return { edition, files: Object.fromEntries(entries) };
  } catch {
    return undefined;
  }
}

function isInside(path: string): boolean {
  return !isAbsolute(path) && !normalize(path).startsWith('..');
}

/** Names of complete copies, the newest version first; of one version, the one that came last. */
export function editionsIn(folder: string): readonly string[] {
  const found: { readonly edition: string; readonly version: readonly number[]; readonly since: number }[] =
    [];
  for (const edition of listNames(folder)) {
    const version = versionOf(edition);
    const since = changedAt(join(folder, edition, MANIFEST_FILE));
    if (version !== undefined && since !== undefined) found.push({ edition, version, since });
  }
  return found
    .sort((a, b) => compareVersions(b.version, a.version) || b.since - a.since)
    .map(({ edition }) => edition);
}

/** Whether a folder of that name in `runtime` is, or was, a copy. */
export function isEdition(name: string): boolean {
  return versionOf(name) !== undefined;
}

function versionOf(edition: string): readonly number[] | undefined {
  const [, version] = /^(\d+\.\d+\.\d+)-[0-9a-f]{8}$/.exec(edition) ?? [];
  return version?.split('.').map(Number);
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (const [index, number] of a.entries()) {
    const difference = number - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

const saidIn = new Set<string>();

/** Says that this process runs from `folder`, until it ends. Does nothing where that is no copy in a home. */
export function useRuntime(folder: string): void {
  const path = join(folder, USERS, String(process.pid));
  try {
    writeFileSync(path, processStart(process.pid) ?? '', { mode: 0o600 });
  } catch {
    // No copy (a checkout, an npm package, the extension's own folder), or one that cannot be written to.
    return;
  }
  if (saidIn.has(path)) return;
  saidIn.add(path);
  process.once('exit', () => {
    try {
      removeFile(path);
    } catch {
      // Whoever tidies up sees that this process is gone.
    }
  });
}

/** Whether a process runs from this copy. What those that are gone left is removed. */
export function isRuntimeUsed(folder: string): boolean {
  const users = join(folder, USERS);
  let used = false;
  for (const name of listNames(users)) {
    const pid = Number(name);
    const path = join(users, name);
    if (Number.isInteger(pid) && pid > 0 && isRunning(pid, startIn(path))) used = true;
    else removeFile(path);
  }
  return used;
}

/** Where {@link useRuntime} writes; made with the copy, because nobody may make it again for one that was removed. */
export const usersFolder = (folder: string): string => join(folder, USERS);

function startIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8') || undefined;
  } catch {
    return undefined;
  }
}

/** Empty where there is no such folder. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
