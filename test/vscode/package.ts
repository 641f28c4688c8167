/** What the tests install: the extension as `vsce package` makes it, the suites as VS Code loads them. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { pack, stage } from '../../packaging/vsix.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The folder with code-server and its Node, installed when it is not there yet. */
export function installedVsCode(): string {
  const said = execFileSync('bash', [join(ROOT, 'test/vscode/install.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const folder = said.trim().split('\n').at(-1);
  if (folder === undefined) throw new Error('install.sh named no folder.');
  return folder;
}

/** Packs the extension as it is shipped: a file that is missing in the package is a failure here. */
export async function packExtension(folder: string): Promise<string> {
  const vsix = join(folder, 'kd-mcp.vsix');
  await stage(join(folder, 'extension'));
  await pack(join(folder, 'extension'), vsix);
  return vsix;
}

/** A suite as one file, as @vscode/test-electron wants it too. */
export async function bundleSuite(name: string): Promise<string> {
  const outfile = join(ROOT, `dist/test/${name}.cjs`);
  await esbuild.build({
    entryPoints: [join(ROOT, `test/vscode/suite/${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    logLevel: 'warning',
  });
  return outfile;
}
