/**
 * What a package for Windows brings besides the program: a Node, koffi with its native part, and the script that other
 * clients start. All of it stands beside the program, in `dist`, and is listed in `runtime.json` there, by which the
 * extension copies it (src/client/runtime.ts).
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import * as esbuild from 'esbuild';
import { MANIFEST_FILE, type RuntimeManifest } from '../src/host/runtime-folder.ts';

/** The build's own options; plain JavaScript, so without types. */
const { lasting }: { lasting: esbuild.BuildOptions } = await import(
  new URL('../esbuild.config.mjs', import.meta.url).href
);

/** Files that are brought: path in the package's `dist` → where they are here. */
export type CarriedFiles = Readonly<Record<string, string>>;

/** Of koffi, what loading it touches on Windows. */
const KOFFI = ['package.json', 'index.cjs', 'src/koffi/index.cjs', 'src/koffi/src/static.cjs', 'LICENSE.txt'];

/** koffi from `modules`, a `node_modules` folder that has it for that Windows. */
export function koffiFiles(modules: string, arch: 'x64' | 'arm64'): CarriedFiles {
  const native = `@koromix/koffi-win32-${arch}`;
  const paths = [
    ...KOFFI.map((path) => `koffi/${path}`),
    `${native}/package.json`,
    `${native}/index.js`,
    `${native}/win32_${arch}/koffi.node`,
  ];
  return Object.fromEntries(paths.map((path) => [`node_modules/${path}`, join(modules, path)]));
}

/** Adds them to `dist`, a folder that holds the built program, and lists what belongs to it. */
export async function carry(dist: string, version: string, files: CarriedFiles): Promise<RuntimeManifest> {
  for (const [path, from] of Object.entries(files)) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(from, join(dist, path), { dereference: true });
  }
  await esbuild.build({ ...lasting, outdir: dist });
  // In a copy there is no manifest of the extension above it, which says the same.
  writeFileSync(join(dist, 'package.json'), '{ "type": "module" }\n');
  const manifest = describe(dist, version);
  writeFileSync(join(dist, MANIFEST_FILE), `${JSON.stringify(manifest, null, 1)}\n`);
  return manifest;
}

/** The program without the extension's own parts. */
function describe(dist: string, version: string): RuntimeManifest {
  const paths = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(dist, path)).isFile())
    .map((path) => relative('.', path).replaceAll(sep, '/'))
    .filter((path) => !['extension.cjs', 'backstage.js', MANIFEST_FILE].includes(path))
    .sort();
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(dist, path)));
  return {
    edition: `${version}-${hash.digest('hex').slice(0, 8)}`,
    files: Object.fromEntries(paths.map((path) => [path, statSync(join(dist, path)).size])),
  };
}
