/** One vsix: built into a folder of its own, from the allow-list in .vscodeignore, by vsce. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { type CarriedFiles, carry } from './carried.ts';

const root = resolve(import.meta.dirname, '..');
const run = promisify(execFile);
/** The build's own options; plain JavaScript, so without types. */
const { programs, extension }: Record<'programs' | 'extension', esbuild.BuildOptions> = await import(
  new URL('../esbuild.config.mjs', import.meta.url).href
);

/** What may go in besides the build; .vscodeignore decides. */
const KEPT = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', '.vscodeignore', 'l10n', 'media'];
const TEXTS = ['package.nls.json', 'package.nls.ko.json'];

export const VERSION: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** Fills `folder` with what vsce packs. `carried`: what the package for a Windows brings besides. */
export async function stage(folder: string, carried?: CarriedFiles): Promise<void> {
  for (const name of [...KEPT, ...TEXTS]) cpSync(join(root, name), join(folder, name), { recursive: true });
  const dist = join(folder, 'dist');
  await esbuild.build({ ...programs, absWorkingDir: root, outdir: dist });
  await esbuild.build({ ...extension, absWorkingDir: root, outdir: dist });
  if (carried !== undefined) await carry(dist, VERSION, carried);
}

/**
 * Packs a staged folder. `target`: `win32-x64`, `win32-arm64`, or undefined for every system that has no package of its own.
 * @returns what vsce said.
 */
export async function pack(folder: string, vsix: string, target?: string): Promise<string> {
  const { stdout, stderr } = await vsce(folder, [
    'package',
    '--out',
    vsix,
    ...(target === undefined ? [] : ['--target', target]),
    // The manifest names no repository yet, so there is nothing that relative links could be made to point to.
    '--allow-missing-repository',
    '--no-rewrite-relative-links',
  ]);
  return `${stdout}${stderr}`;
}

/** Paths that would be packed. */
export async function list(folder: string): Promise<readonly string[]> {
  const { stdout } = await vsce(folder, ['ls']);
  return stdout.split(/\r?\n/).filter((line) => line !== '');
}

function vsce(cwd: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const program = join(root, 'node_modules/@vscode/vsce/vsce');
  return run(process.execPath, [program, ...args, '--no-dependencies'], { cwd });
}

export interface VsixEntry {
  readonly path: string;
  /** Bytes that it takes in the archive. */
  readonly packed: number;
}

/** Reads the archive's directory (APPNOTE.TXT 4.3.12, 4.3.16). @throws Error when it is none. */
export function entriesOf(vsix: string): readonly VsixEntry[] {
  const bytes = readFileSync(vsix);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error(`${vsix} is no archive`);
  const entries: VsixEntry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const path = bytes.toString('utf8', at + 46, at + 46 + (lengths[0] ?? 0));
    entries.push({ path, packed: bytes.readUInt32LE(at + 20) });
    at += 46 + lengths.reduce((sum, length) => sum + length, 0);
  }
  return entries;
}

/** Bytes of the archive without its node.exe. */
export function sizeWithoutNode(vsix: string): number {
  const node = entriesOf(vsix).find(({ path }) => path === 'extension/dist/node.exe')?.packed ?? 0;
  return readFileSync(vsix).length - node;
}
