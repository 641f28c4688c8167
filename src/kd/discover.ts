/** Finds kd.exe (kd-behaviour.md §1.4): settings, Windows kits, registry, Microsoft Store, PATH. */
import { posix, win32 } from 'node:path';
import { type Found, lookAt, queryKitRoots } from './installed.ts';

export type { Found } from './installed.ts';

export type KdSource = 'config' | 'kits' | 'registry' | 'store' | 'path';

/** A debugger that can be started. */
export interface KdProgram {
  readonly path: string;
  readonly source: KdSource;
  /** `alias`: the Store's stand-in; the real debugger is its child, so the whole tree must be ended with it. */
  readonly kind: 'program' | 'alias';
}

/** Nothing found; the message lists the places and says what to install. */
export class KdNotFoundError extends Error {
  override readonly name = 'KdNotFoundError';
}

export interface DiscoverOptions {
  /** `kd.kd_exe`: a program, a folder, a windbg.exe beside kd.exe, or a name to look up in PATH. */
  readonly kdExe?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** `process.arch` of this machine. */
  readonly arch?: string;
  /** What is at a path; replaced in tests. */
  readonly look?: (path: string) => Promise<Found | undefined>;
  /** `KitsRoot10` in both registry views; replaced in tests. */
  readonly kitRoots?: () => Promise<readonly string[]>;
}

/** Programs of the same folder that people name instead of kd. */
const WINDBG = /^(windbg(x|next)?|dbgx\.shell|cdb|ntsd|kd)(x64|x86|arm64)?(\.exe)?$/i;

/**
 * All debuggers found, the best first; with `kd_exe` set, only that one.
 * @throws KdNotFoundError
 */
export async function findKd(options: DiscoverOptions = {}): Promise<readonly KdProgram[]> {
  const search = new Search(options);
  const { kdExe } = options;
  if (kdExe !== undefined && kdExe.trim() !== '') return [await search.configured(kdExe.trim())];
  if (search.platform !== 'win32') {
    throw new KdNotFoundError(
      'kd.exe is a Windows program and is not searched for on this system. Set kd.kd_exe to a program that starts it, or start a simulated session (transport simulator).',
    );
  }
  const found = await search.everywhere();
  if (found.length === 0) throw new KdNotFoundError(`kd.exe was not found. ${search.howToGetIt()}`);
  return found;
}

/** One search: remembers the places it looked at, for the message. */
class Search {
  readonly platform: NodeJS.Platform;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #arch: string;
  readonly #look: (path: string) => Promise<Found | undefined>;
  readonly #kitRoots: () => Promise<readonly string[]>;
  readonly #tried: string[] = [];

  constructor(options: DiscoverOptions) {
    this.platform = options.platform ?? process.platform;
    this.#env = options.env ?? process.env;
    this.#arch = options.arch ?? process.arch;
    this.#look = options.look ?? lookAt;
    this.#kitRoots = options.kitRoots ?? (() => queryKitRoots(this.#variable('SystemRoot') ?? 'C:\\Windows'));
  }

  async configured(kdExe: string): Promise<KdProgram> {
    const path = this.platform === 'win32' ? win32 : posix;
    const candidates = /[\\/]/.test(kdExe) ? [kdExe] : this.#inPath(kdExe);
    for (const candidate of candidates) {
      const there = await this.#at(candidate);
      if (there === undefined) continue;
      const inside =
        there === 'folder'
          ? this.#inFolder(candidate)
          : this.#besides(path.dirname(candidate), path.basename(candidate));
      if (inside.length === 0) return { path: candidate, source: 'config', kind: kindOf(there) };
      const kd = await this.#first(inside, 'config');
      if (kd !== undefined) return kd;
    }
    const elsewhere = this.platform === 'win32' ? (await this.everywhere())[0] : undefined;
    const advice =
      elsewhere === undefined
        ? `Correct it. ${this.howToGetIt()}`
        : `Correct it, or remove it to use ${elsewhere.path}.`;
    throw new KdNotFoundError(`kd.kd_exe names ${kdExe}, where no kd.exe is. ${advice}`);
  }

  async everywhere(): Promise<readonly KdProgram[]> {
    const kits = this.#programFolders().flatMap((folder) => [
      ...this.#inKit(`${folder}\\Windows Kits\\10`),
      ...this.#inKit(`${folder}\\Windows Kits\\8.1`),
      `${folder}\\Debugging Tools for Windows (x64)\\kd.exe`,
      `${folder}\\Debugging Tools for Windows\\kd.exe`,
    ]);
    const found = [
      ...(await this.#all(kits, 'kits')),
      ...(await this.#all(
        (await this.#kitRoots()).flatMap((root) => this.#inKit(root.replace(/\\+$/, ''))),
        'registry',
      )),
      ...(await this.#all(this.#aliases(), 'store')),
      ...(await this.#all(this.#inPath('kd.exe'), 'path')),
    ];
    const key = (program: KdProgram) => program.path.toLowerCase();
    return found.filter(
      (program, index) => found.findIndex((other) => key(other) === key(program)) === index,
    );
  }

  howToGetIt(): string {
    const places = [...new Set(this.#tried)];
    return `Next: winget install Microsoft.WinDbg. (A kd.exe of the Windows SDK or WDK in another place is named by kd.kd_exe.) Looked at: ${places.join('; ')}.`;
  }

  async #at(path: string): Promise<Found | undefined> {
    this.#tried.push(path);
    return this.#look(path);
  }

  async #all(paths: readonly string[], source: KdSource): Promise<readonly KdProgram[]> {
    const found: KdProgram[] = [];
    for (const path of paths) {
      const there = await this.#at(path);
      if (there === 'file' || there === 'alias') found.push({ path, source, kind: kindOf(there) });
    }
    return found;
  }

  async #first(paths: readonly string[], source: KdSource): Promise<KdProgram | undefined> {
    return (await this.#all(paths, source))[0];
  }

  /** A debugger of this machine's own kind first: it debugs targets of every kind. */
  #architectures(): readonly string[] {
    switch (this.#arch) {
      case 'arm64':
        return ['arm64', 'x64', 'x86'];
      case 'ia32':
        return ['x86'];
      default:
        return ['x64', 'x86'];
    }
  }

  #inKit(root: string): readonly string[] {
    return this.#architectures().map((architecture) => `${root}\\Debuggers\\${architecture}\\kd.exe`);
  }

  #aliases(): readonly string[] {
    const local =
      this.#variable('LOCALAPPDATA') ??
      `${this.#variable('USERPROFILE') ?? 'C:\\Users\\Default'}\\AppData\\Local`;
    return this.#architectures().map(
      (each) => `${local}\\Microsoft\\WindowsApps\\kd${each === 'arm64' ? 'ARM64' : each.toUpperCase()}.exe`,
    );
  }

  #inFolder(folder: string): readonly string[] {
    const join = this.platform === 'win32' ? win32.join : posix.join;
    const below = this.#architectures().flatMap((each) => [[each], ['Debuggers', each], ['amd64']]);
    const folders = [[], ...below].map((parts) => join(folder, ...parts));
    const names =
      this.platform === 'win32'
        ? ['kd.exe', ...this.#aliases().map((path) => win32.basename(path))]
        : ['kd', 'kd.exe'];
    return folders.flatMap((each) => names.map((name) => join(each, name)));
  }

  /** For another debugger's program the kd beside it; nothing for anything else, which is taken as it is. */
  #besides(folder: string, name: string): readonly string[] {
    if (!WINDBG.test(name) || /^kd/i.test(name)) return [];
    return this.#inFolder(folder);
  }

  #inPath(name: string): readonly string[] {
    const { join, delimiter } = this.platform === 'win32' ? win32 : posix;
    const names = this.platform === 'win32' && !/\.\w+$/.test(name) ? [`${name}.exe`] : [name];
    const folders = (this.#variable('PATH') ?? '').split(delimiter).filter((folder) => folder !== '');
    return folders.flatMap((folder) => names.map((each) => join(folder.replaceAll('"', ''), each)));
  }

  #programFolders(): readonly string[] {
    const named = ['ProgramFiles(x86)', 'ProgramFiles', 'ProgramW6432'].map((name) => this.#variable(name));
    return [
      ...new Set(
        [...named, 'C:\\Program Files (x86)', 'C:\\Program Files'].filter((folder) => folder !== undefined),
      ),
    ];
  }

  /** Windows does not tell names of variables by case. */
  #variable(name: string): string | undefined {
    const key = Object.keys(this.#env).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    return (key === undefined ? undefined : this.#env[key]) || undefined;
  }
}

function kindOf(found: Found): KdProgram['kind'] {
  return found === 'alias' ? 'alias' : 'program';
}
