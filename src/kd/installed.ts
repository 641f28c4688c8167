/** What is installed on this machine: files, aliases, registry. The effects behind the search in `discover.ts`. */
import { lstat, stat } from 'node:fs/promises';
import { execa } from 'execa';

/** `alias`: an app execution alias or link, which only `lstat` can see. */
export type Found = 'file' | 'folder' | 'alias';

/** What is at a path; undefined: nothing, or nothing this account may see. */
export async function lookAt(path: string): Promise<Found | undefined> {
  try {
    // An app execution alias cannot be followed: stat fails on it.
    const seen = await lstat(path);
    if (seen.isDirectory()) return 'folder';
    if (process.platform !== 'win32' && seen.isSymbolicLink())
      return (await isFolderBehind(path)) ? 'folder' : 'file';
    return seen.isSymbolicLink() || seen.size === 0 ? 'alias' : 'file';
  } catch {
    return undefined;
  }
}

async function isFolderBehind(link: string): Promise<boolean> {
  return (await stat(link)).isDirectory();
}

/** A kit at another place says so in the registry, in the 64-bit or in the 32-bit view. */
export async function queryKitRoots(systemRoot: string): Promise<readonly string[]> {
  const key = 'HKLM\\SOFTWARE\\Microsoft\\Windows Kits\\Installed Roots';
  const views = await Promise.all(
    ['/reg:64', '/reg:32'].map((view) =>
      execa(`${systemRoot}\\System32\\reg.exe`, ['query', key, '/v', 'KitsRoot10', view], {
        reject: false,
        timeout: 5000,
      }),
    ),
  );
  return [...new Set(views.flatMap(({ stdout }) => parseRegQuery(stdout)))];
}

/** The value in what `reg query /v KitsRoot10` printed. */
export function parseRegQuery(output: string | undefined): readonly string[] {
  const value = /^\s*KitsRoot10\s+REG_\w+\s+(\S.*?)\s*$/m.exec(output ?? '')?.[1];
  return value === undefined ? [] : [value];
}
