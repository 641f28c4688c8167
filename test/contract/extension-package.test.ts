/** What the extension loads when it is activated, and what its package ships. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CarriedFiles, koffiFiles } from '../../packaging/carried.ts';
import { entriesOf, list, pack, sizeWithoutNode, stage } from '../../packaging/vsix.ts';

/** The build's own options; plain JavaScript, so without types. */
const { extension }: { extension: esbuild.BuildOptions } = await import(
  new URL('../../esbuild.config.mjs', import.meta.url).href
);
const root = fileURLToPath(new URL('../../', import.meta.url));

const everywhere = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'package.json',
  'package.nls.json',
  'package.nls.ko.json',
  'l10n/bundle.l10n.ko.json',
  'media/icon.png',
  'media/view.svg',
  'media/walkthrough/agent.svg',
  'media/walkthrough/debugger.svg',
  'media/walkthrough/simulated.svg',
  'media/walkthrough/stateFile.svg',
  'dist/extension.cjs',
  'dist/backstage.js',
  'dist/cli.js',
  'dist/simulator.js',
  'dist/<part>.js',
];

const windowsOnly = [
  'dist/node.exe',
  'dist/LICENSE.node.txt',
  'dist/kd-mcp.mjs',
  'dist/package.json',
  'dist/runtime.json',
  'dist/node_modules/koffi/LICENSE.txt',
  'dist/node_modules/koffi/index.cjs',
  'dist/node_modules/koffi/package.json',
  'dist/node_modules/koffi/src/koffi/index.cjs',
  'dist/node_modules/koffi/src/koffi/src/static.cjs',
  'dist/node_modules/@koromix/koffi-win32-x64/index.js',
  'dist/node_modules/@koromix/koffi-win32-x64/package.json',
  'dist/node_modules/@koromix/koffi-win32-x64/win32_x64/koffi.node',
];

/** What npm gives on Windows only, as large: bytes that cannot be packed any smaller. */
const STAND_INS: Readonly<Record<string, number>> = {
  'node.exe': 100_000,
  'LICENSE.node.txt': 150_000,
  'node_modules/@koromix/koffi-win32-x64/index.js': 100,
  'node_modules/@koromix/koffi-win32-x64/package.json': 700,
  'node_modules/@koromix/koffi-win32-x64/win32_x64/koffi.node': 1_100_000,
};

function standIns(folder: string): CarriedFiles {
  const files: Record<string, string> = { ...koffiFiles(join(root, 'node_modules'), 'x64') };
  for (const [path, size] of Object.entries(STAND_INS)) {
    const file = join(folder, 'parts', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(size));
    files[path] = file;
  }
  return files;
}

describe('the bundle that activation loads', async () => {
  const { metafile } = await esbuild.build({
    ...extension,
    absWorkingDir: root,
    write: false,
    metafile: true as const,
  });
  const inputs = Object.keys(metafile.inputs);
  const [output] = Object.values(metafile.outputs);

  test('has none of the libraries of the configuration, of MCP and of processes', () => {
    const packages = inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(['env-paths', 'is-safe-filename', 'vscode-jsonrpc']);
  });

  test('takes neither the schema of the settings nor the tools', () => {
    const late = /^src\/((mcp|tools|simulator|winrm|state-file)\/|config\/(schema|check|load|readers)\.)/;
    expect(inputs.filter((path) => late.test(path))).toEqual([]);
  });

  test('has at most 300 KB', () => {
    expect(output?.bytes).toBeLessThan(300 * 1024);
  });

  test('leaves VS Code, and what is loaded on first use, outside', () => {
    const outside = output?.imports.filter((each) => each.external && !each.path.startsWith('node:')) ?? [];
    expect(outside.map((each) => each.path)).toEqual(expect.arrayContaining(['vscode', './backstage.js']));
  });
});

describe.each([
  ['for Windows', 'win32-x64', windowsOnly],
  ['for every other system', undefined, []],
])('the package %s', (_name, target, besides) => {
  let folder: string;
  let vsix: string;
  let said: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kd-mcp-vsix-'));
    vsix = join(folder, 'kd-mcp.vsix');
    await stage(join(folder, 'stage'), target === undefined ? undefined : standIns(folder));
    said = await pack(join(folder, 'stage'), vsix, target);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is made without a warning', () => {
    expect(said).toContain('DONE');
    expect(said).not.toMatch(/warning/i);
  });

  test('ships what is named here, and nothing else', async () => {
    // What the build splits off bears a hash of its content.
    const files = (await list(join(folder, 'stage'))).map((path) =>
      path.replace(/^dist\/[\w-]+-[0-9A-Z]{8}\.js$/, 'dist/<part>.js'),
    );
    expect([...new Set(files)].sort()).toEqual([...everywhere, ...besides].sort());
  });

  test('has at most 2 MB without node.exe', () => {
    const entries = entriesOf(vsix).map(({ path }) => path);
    expect(entries.includes('extension/dist/node.exe')).toBe(target !== undefined);
    expect(statSync(vsix).size - sizeWithoutNode(vsix)).toBeGreaterThanOrEqual(
      target === undefined ? 0 : 100_000,
    );
    expect(sizeWithoutNode(vsix)).toBeLessThan(2 * 1024 * 1024);
  });
});
