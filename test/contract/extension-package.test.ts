/** What the extension loads when it is activated, and what its package ships. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { describe, expect, test } from 'vitest';

/** The build's own options; plain JavaScript, so without types. */
const { extension }: { extension: esbuild.BuildOptions } = await import(
  new URL('../../esbuild.config.mjs', import.meta.url).href
);
const root = fileURLToPath(new URL('../../', import.meta.url));

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

test('the package ships what the allow-list names, and nothing else', async () => {
  const vsce = fileURLToPath(new URL('../../node_modules/@vscode/vsce/vsce', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [vsce, 'ls', '--no-dependencies'], {
    cwd: root,
  });
  const files = stdout.split('\n').filter((line) => line !== '');
  const allowed =
    /^(package\.json|package\.nls(\.ko)?\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/[\w-]+\.(js|cjs)|l10n\/bundle\.l10n\.ko\.json|media\/(icon\.png|view\.svg))$/;
  expect(files.filter((file) => !allowed.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'package.nls.ko.json',
      'l10n/bundle.l10n.ko.json',
      'media/icon.png',
    ]),
  );
});
