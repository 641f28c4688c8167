/** The program in the home folder: copied whole or not at all, and removed when nobody runs from it. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRuntime } from '../../src/client/runtime.ts';
import { CARRIED_NODE, LASTING_SCRIPT } from '../../src/host/runtime-folder.ts';
import { installTinyExtension, Window } from './extension-folder.ts';

let folder: string;
let home: string;
let dist: string;
let edition: string;
const windows: Window[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kdr-'));
  home = join(folder, '김철수 home');
  dist = join(folder, 'extension-0.1.0', 'dist');
  edition = await installTinyExtension(dist, '0.1.0');
});
afterEach(async () => {
  for (const window of windows.splice(0)) await window.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

function open(from = dist): Window {
  const window = new Window(from, home);
  windows.push(window);
  return window;
}

const copies = (): readonly string[] => readdirSync(join(home, 'runtime')).sort();
const inCopy = (...path: string[]): string => join(home, 'runtime', edition, ...path);
const bin = (name: string): string => join(home, 'bin', name);

/** A number that no process has: one that was, and is gone. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid;
}

describe('the copy', () => {
  test('is made by the first window, whole, and its Node runs the program', async () => {
    const program = await open().program();
    expect(program).toEqual({ command: inCopy(CARRIED_NODE), script: inCopy('cli.js') });
    for (const name of ['cli.js', 'package.json', 'runtime.json', LASTING_SCRIPT])
      expect(readFileSync(inCopy(name))).toEqual(readFileSync(join(dist, name)));
    expect(readdirSync(inCopy('users'))).toHaveLength(1);
  });

  test('is one, whole and without anything left, when many windows open at the same time', async () => {
    const programs = await Promise.all([1, 2, 3, 4, 5].map(() => open().program()));
    expect(new Set(programs.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(copies()).toEqual([edition]);
    expect(readdirSync(join(home, 'bin')).sort()).toEqual([LASTING_SCRIPT, CARRIED_NODE].sort());
  });

  test('gets back what it has lost, and those who run from it are still known', async () => {
    const window = open();
    await window.program();
    const [user] = readdirSync(inCopy('users'));
    rmSync(inCopy('cli.js'));
    truncateSync(inCopy(CARRIED_NODE), 3);
    await open().program();
    expect(readFileSync(inCopy('cli.js'), 'utf8')).toBe('// 0.1.0\n');
    expect(readFileSync(inCopy(CARRIED_NODE), 'utf8')).toBe('not a program\n');
    expect(readdirSync(inCopy('users'))).toContain(user);
    expect(copies()).toEqual([edition]);
  });

  test('can be replaced although the extension is read-only', async () => {
    for (const name of readdirSync(dist)) chmodSync(join(dist, name), 0o444);
    await open().program();
    expect(statSync(inCopy('cli.js')).mode & 0o200).not.toBe(0);
    if (process.platform !== 'win32') expect(statSync(inCopy(CARRIED_NODE)).mode & 0o777).toBe(0o700);
  });

  test.each([
    [
      'ENOSPC',
      /could not be copied to .*runtime: the disk is full\. It takes \d+ MB: free some, or set kdMcp\.home/,
    ],
    ['EACCES', /could not be copied to .*runtime: writing there is not allowed \(EACCES\)/],
    ['EIO', /could not be copied to .*EIO.* Reload the window/],
  ])('that fails with %s says so, leaves nothing behind and is made at the next try', async (code, words) => {
    let fails = true;
    const runtime = createRuntime({
      folder: dist,
      home,
      copyFile: async (from, to) => {
        await copyFile(from, to);
        if (fails && to.endsWith(LASTING_SCRIPT)) throw Object.assign(new Error(`${code}: write`), { code });
      },
    });
    await expect(runtime.program()).rejects.toThrow(words);
    expect(copies()).toEqual([]);
    fails = false;
    expect((await runtime.program()).script).toBe(inCopy('cli.js'));
  });

  test('of a package that is not whole is refused', async () => {
    truncateSync(join(dist, 'cli.js'), 1);
    await expect(createRuntime({ folder: dist, home }).program()).rejects.toThrow(
      /package is damaged \(.*cli\.js\)\. Reinstall/,
    );
    expect(copies()).toEqual([]);
  });

  test('is not needed where the package brings no Node: the program runs where it is', async () => {
    rmSync(join(dist, 'runtime.json'));
    rmSync(join(dist, CARRIED_NODE));
    const runtime = createRuntime({ folder: dist, home });
    const own = { command: process.execPath, script: join(dist, 'cli.js') };
    expect(await runtime.program()).toEqual(own);
    expect(await runtime.lasting()).toEqual(own);
    await runtime.tidy();
    expect(existsSync(home)).toBe(false);
  });

  test('goes on to be used when the extension is gone, and says what to do when both are', async () => {
    const window = open();
    const program = await window.program();
    rmSync(dist, { recursive: true });
    expect(await window.program()).toEqual(program);
    rmSync(inCopy(), { recursive: true });
    await expect(window.program()).rejects.toThrow(/program is gone .* reload the window/);
  });
});

describe('tidying up', () => {
  test('removes what a window that was killed while it copied has left, and nothing of one that lives', async () => {
    const window = open();
    await window.program();
    const left = (pid: number): string => {
      const name = `.unfinished-${pid}-0123456789ab`;
      mkdirSync(join(home, 'runtime', name, 'node_modules'), { recursive: true });
      return name;
    };
    left(deadPid());
    const alive = left(process.pid);
    await window.tidy();
    expect(copies()).toEqual([alive, edition]);
    utimesSync(join(home, 'runtime', alive), 1, 1);
    await window.tidy();
    expect(copies()).toEqual([edition]);
  });

  test('removes another edition when its last window is closed, also a newer one', async () => {
    const other = join(folder, 'extension-0.10.0', 'dist');
    const newer = await installTinyExtension(other, '0.10.0');
    const [window, second] = [open(), open(other)];
    await second.program();
    await window.program();
    await window.tidy();
    expect(copies()).toEqual([edition, newer].sort());
    windows.splice(windows.indexOf(second), 1);
    await second.close();
    await window.tidy();
    expect(copies()).toEqual([edition]);
  });

  test('is not misled by the number of a process that is gone', async () => {
    const other = join(folder, 'extension-0.2.0', 'dist');
    await installTinyExtension(other, '0.2.0');
    const first = open();
    await first.program();
    windows.pop();
    await first.close();
    writeFileSync(inCopy('users', String(deadPid())), '');
    // A living process, but not the one that wrote this.
    writeFileSync(inCopy('users', String(process.pid)), 'another start');
    const second = open(other);
    await second.program();
    await second.tidy();
    expect(existsSync(inCopy())).toBe(false);
  });
});

describe('bin', () => {
  test('is what other clients are told, follows the newest edition and is not taken back by an older window', async () => {
    const window = open();
    expect(await window.lasting()).toEqual({ command: bin(CARRIED_NODE), script: bin(LASTING_SCRIPT) });
    const other = join(folder, 'extension-0.2.0', 'dist');
    await installTinyExtension(other, '0.2.0', 'another Node\n');
    await open(other).program();
    expect(readFileSync(bin(CARRIED_NODE), 'utf8')).toBe('another Node\n');
    await window.program();
    expect(readFileSync(bin(CARRIED_NODE), 'utf8')).toBe('another Node\n');
  });

  test('gets a new Node although the old one cannot be replaced: it is put aside', async () => {
    await open().program();
    rmSync(bin(CARRIED_NODE));
    // As a program that runs on Windows: it can be renamed, and nothing else.
    mkdirSync(join(bin(CARRIED_NODE), 'in use'), { recursive: true });
    await open().program();
    expect(readFileSync(bin(CARRIED_NODE), 'utf8')).toBe('not a program\n');
    expect(readdirSync(join(home, 'bin')).filter((name) => name.startsWith('.replaced-'))).toHaveLength(1);
  });

  test('starts the newest edition by its number, and says what to do when there is none', async () => {
    await open().program();
    const run = () => spawnSync(process.execPath, [bin(LASTING_SCRIPT), 'serve'], { encoding: 'utf8' });
    const put = (name: string): void => {
      mkdirSync(join(home, 'runtime', name));
      writeFileSync(join(home, 'runtime', name, 'runtime.json'), '{}');
      writeFileSync(join(home, 'runtime', name, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(home, 'runtime', name, 'cli.js'), 'console.log(process.argv.slice(1).join())');
    };
    put('0.9.0-0123abcd');
    put('0.10.0-0123abcd');
    expect(run().stdout.trim()).toBe(`${join(home, 'runtime', '0.10.0-0123abcd', 'cli.js')},serve`);
    rmSync(join(home, 'runtime'), { recursive: true });
    const none = run();
    expect(none.status).toBe(1);
    expect(none.stderr).toContain('Start VS Code with the extension KD-MCP once');
  });
});
