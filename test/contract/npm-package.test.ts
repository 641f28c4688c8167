/** The program as npm ships it: packed, installed where nothing else is, and run by its command. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as esbuild from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
/** The build's own options; plain JavaScript, so without types. */
const { programs }: { programs: esbuild.BuildOptions } = await import(
  new URL('../../esbuild.config.mjs', import.meta.url).href
);

let folder: string;
let shipped: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kd-mcp-npm-'));
  const project = join(folder, 'project');
  const kept = [
    'package.json',
    '.npmignore',
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'LICENSE',
    'docs',
    'l10n',
    'media',
  ];
  for (const name of kept) cpSync(resolve(name), join(project, name), { recursive: true });
  await esbuild.build({ ...programs, outdir: join(project, 'dist') });
  // What a build leaves for VS Code, and what else lies around in a checkout.
  for (const name of ['dist/extension.cjs', 'src/cli.ts', '.env', 'kd.log']) {
    mkdirSync(join(project, name, '..'), { recursive: true });
    writeFileSync(join(project, name), '');
  }
  const { stdout } = await npm(project, 'pack', '--json', '--pack-destination', folder);
  const [packed]: { files: { path: string }[] }[] = JSON.parse(stdout);
  shipped = packed?.files.map(({ path }) => path) ?? [];
  const app = join(folder, 'app');
  mkdirSync(app);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  await npm(app, 'install', '--offline', '--no-audit', '--no-fund', '--omit=optional', join(folder, archive));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

/** The npm that runs the tests, else the one in PATH; a command file on Windows, which only a shell starts. */
function npm(cwd: string, ...args: readonly string[]): Promise<{ stdout: string }> {
  const script = process.env.npm_execpath;
  const env = { ...process.env, npm_config_ignore_scripts: 'true', npm_config_cache: join(folder, 'cache') };
  return script === undefined
    ? run('npm', [...args], { cwd, env, shell: process.platform === 'win32' })
    : run(process.execPath, [script, ...args], { cwd, env });
}

describe('the program from its npm package', () => {
  test('ships the program and nothing else', () => {
    const allowed = /^(package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE|dist\/[\w-]+\.js)$/;
    expect(shipped.filter((path) => !allowed.test(path))).toEqual([]);
    expect(shipped).toEqual(expect.arrayContaining(['package.json', 'LICENSE', 'README.md', 'dist/cli.js']));
    expect(shipped).not.toContain('dist/backstage.js');
  });

  test('needs no other package', () => {
    expect(readdirSync(join(folder, 'app/node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'kd-mcp',
    ]);
  });

  test('serves, and starts, halts, asks and ends a session by its command', async () => {
    const command = join(
      folder,
      'app/node_modules/.bin',
      process.platform === 'win32' ? 'kd-mcp.cmd' : 'kd-mcp',
    );
    const client = new Client({ name: 'npm', version: '1' });
    const args = ['serve', '--home', join(folder, 'home')];
    await client.connect(new StdioClientTransport({ command, args, cwd: folder, stderr: 'inherit' }));
    const call = async (name: string, args = {}) =>
      JSON.stringify(await client.callTool({ name, arguments: args }));
    try {
      expect(await call('start_kd', { scenario: 'idle' })).toContain('sim-1 · ');
      expect(await call('break_in')).toContain('sim-1 · broken');
      expect(await call('kd_command', { command: 'r' })).toContain('rip=');
      expect(await call('stop_kd')).toContain('guest: running');
    } finally {
      await client.close();
    }
  }, 60_000);
});
