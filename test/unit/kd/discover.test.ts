import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DiscoverOptions, type Found, findKd, KdNotFoundError } from '../../../src/kd/discover.ts';
import { lookAt, parseRegQuery } from '../../../src/kd/installed.ts';
import { findWinDbg } from '../../../src/kd/windbg.ts';

const KITS = 'C:\\Program Files (x86)\\Windows Kits\\10\\Debuggers';

/** A machine that has these files, folders and aliases. */
function machine(files: Readonly<Record<string, Found>>, options: DiscoverOptions = {}): DiscoverOptions {
  const there = new Map(Object.entries(files).map(([path, found]) => [path.toLowerCase(), found]));
  return {
    platform: 'win32',
    arch: 'x64',
    env: { LocalAppData: 'C:\\Users\\lab\\AppData\\Local', Path: 'C:\\bin;D:\\tools' },
    look: async (path) => there.get(path.toLowerCase()),
    kitRoots: async () => [],
    ...options,
  };
}

const refusal = async (options: DiscoverOptions): Promise<string> => {
  const error = await findKd(options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KdNotFoundError);
  return error instanceof Error ? error.message : '';
};

describe('without kd_exe, kd.exe is found', () => {
  test('in a Windows kit, this machine’s kind first', async () => {
    const files = {
      [`${KITS}\\x64\\kd.exe`]: 'file',
      [`${KITS}\\x86\\kd.exe`]: 'file',
      [`${KITS}\\arm64\\kd.exe`]: 'file',
    } as const;
    expect((await findKd(machine(files))).map((kd) => kd.path)).toEqual([
      `${KITS}\\x64\\kd.exe`,
      `${KITS}\\x86\\kd.exe`,
    ]);
    expect((await findKd(machine(files, { arch: 'arm64' })))[0]?.path).toBe(`${KITS}\\arm64\\kd.exe`);
  });

  test('in a kit on another drive, by the environment or the registry', async () => {
    const path = 'E:\\Kits\\10\\Debuggers\\x64\\kd.exe';
    const registry = machine({ [path]: 'file' }, { kitRoots: async () => ['E:\\Kits\\10\\'] });
    expect(await findKd(registry)).toEqual([{ path, source: 'registry', kind: 'program' }]);
    const moved = 'D:\\Programs\\Windows Kits\\10\\Debuggers\\x64\\kd.exe';
    expect(await findKd(machine({ [moved]: 'file' }, { env: { PROGRAMFILES: 'D:\\Programs' } }))).toEqual([
      { path: moved, source: 'kits', kind: 'program' },
    ]);
  });

  test('as an alias of the Microsoft Store', async () => {
    const path = 'C:\\Users\\lab\\AppData\\Local\\Microsoft\\WindowsApps\\kdX64.exe';
    expect(await findKd(machine({ [path]: 'alias' }))).toEqual([{ path, source: 'store', kind: 'alias' }]);
  });

  test('in PATH', async () => {
    expect(await findKd(machine({ 'D:\\tools\\kd.exe': 'file' }))).toEqual([
      { path: 'D:\\tools\\kd.exe', source: 'path', kind: 'program' },
    ]);
  });

  test('with an empty environment', async () => {
    expect(await findKd(machine({ [`${KITS}\\x64\\kd.exe`]: 'file' }, { env: {} }))).toHaveLength(1);
  });

  test('once, though two places name it', async () => {
    const options = machine(
      { [`${KITS}\\x64\\kd.exe`]: 'file' },
      { kitRoots: async () => ['c:\\program files (x86)\\Windows Kits\\10'] },
    );
    expect(await findKd(options)).toHaveLength(1);
  });

  test('or the message names every place and one thing to do', async () => {
    const message = await refusal(machine({}, { kitRoots: async () => ['E:\\Kits\\10\\'] }));
    expect(message).toMatch(/^kd\.exe was not found\. Next: winget install Microsoft\.WinDbg\./);
    for (const part of [
      `${KITS}\\x64\\kd.exe`,
      'E:\\Kits\\10\\Debuggers\\x64\\kd.exe',
      'kdX64.exe',
      'C:\\bin\\kd.exe',
      'kd.kd_exe',
    ]) {
      expect(message).toContain(part);
    }
  });
});

describe('WinDbg', () => {
  const alias = 'C:\\Users\\lab\\AppData\\Local\\Microsoft\\WindowsApps\\WinDbgX.exe';
  const classic = `${KITS}\\x64\\windbg.exe`;

  test('of the Store comes before the one beside kd.exe; the configured one before both', async () => {
    const kit = { [classic]: 'file', [`${KITS}\\x64\\kd.exe`]: 'file' } as const;
    expect(await findWinDbg(machine(kit))).toEqual([classic]);
    const both = machine({ ...kit, [alias]: 'alias' });
    expect(await findWinDbg(both)).toEqual([alias]);
    expect(await findWinDbg({ ...both, windbgExe: 'E:\\windbg.exe' })).toEqual(['E:\\windbg.exe']);
  });

  test('is none where there is none, and elsewhere than on Windows', async () => {
    expect(await findWinDbg(machine({}))).toBeUndefined();
    expect(await findWinDbg({ platform: 'linux', look: async () => 'file' })).toBeUndefined();
  });
});

describe('kd_exe', () => {
  test.each([
    ['a program', 'E:\\dbg\\kd.exe'],
    ['a folder', 'E:\\dbg'],
    ['a windbg.exe beside it', 'E:\\dbg\\windbg.exe'],
    ['a cdb.exe beside it', 'E:\\dbg\\cdb.exe'],
  ])('may be %s', async (_what, kdExe) => {
    const files = {
      'E:\\dbg': 'folder',
      'E:\\dbg\\kd.exe': 'file',
      'E:\\dbg\\windbg.exe': 'file',
      'E:\\dbg\\cdb.exe': 'file',
    } as const;
    expect(await findKd(machine(files, { kdExe }))).toEqual([
      { path: 'E:\\dbg\\kd.exe', source: 'config', kind: 'program' },
    ]);
  });

  test('may be the kit’s folder, the Store’s WinDbgX alias, or a name in PATH', async () => {
    const apps = 'C:\\Users\\lab\\AppData\\Local\\Microsoft\\WindowsApps';
    const files = {
      [KITS]: 'folder',
      [`${KITS}\\x64\\kd.exe`]: 'file',
      [`${apps}\\WinDbgX.exe`]: 'alias',
      [`${apps}\\kdX64.exe`]: 'alias',
      'D:\\tools\\kd.exe': 'file',
    } as const;
    const path = async (kdExe: string) => (await findKd(machine(files, { kdExe })))[0]?.path;
    expect(await path(KITS)).toBe(`${KITS}\\x64\\kd.exe`);
    expect(await path(`${apps}\\WinDbgX.exe`)).toBe(`${apps}\\kdX64.exe`);
    expect(await path('kd')).toBe('D:\\tools\\kd.exe');
  });

  test('may be any other program, which is taken as it is', async () => {
    expect(
      await findKd(machine({ 'E:\\lab\\minikd.exe': 'file' }, { kdExe: 'E:\\lab\\minikd.exe' })),
    ).toEqual([{ path: 'E:\\lab\\minikd.exe', source: 'config', kind: 'program' }]);
    expect(await findKd({ platform: 'linux', kdExe: '/lab/kd', look: async () => 'file' })).toEqual([
      { path: '/lab/kd', source: 'config', kind: 'program' },
    ]);
  });

  test('that is not there is an error, which names one that is', async () => {
    const message = await refusal(machine({ [`${KITS}\\x64\\kd.exe`]: 'file' }, { kdExe: 'E:\\no\\kd.exe' }));
    expect(message).toContain('kd.kd_exe names E:\\no\\kd.exe');
    expect(message).toContain(`remove it to use ${KITS}\\x64\\kd.exe`);
    expect(
      await refusal(machine({ 'E:\\dbg\\windbg.exe': 'file' }, { kdExe: 'E:\\dbg\\windbg.exe' })),
    ).toContain('no kd.exe is');
  });
});

test('other systems than Windows are not searched', async () => {
  expect(await refusal({ platform: 'linux', env: {} })).toMatch(/Set kd\.kd_exe.*simulated session/);
});

test('the value of KitsRoot10 is read from what reg.exe prints', () => {
  const output =
    '\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows Kits\\Installed Roots\r\n    KitsRoot10    REG_SZ    C:\\Program Files (x86)\\Windows Kits\\10\\\r\n\r\n';
  expect(parseRegQuery(output)).toEqual(['C:\\Program Files (x86)\\Windows Kits\\10\\']);
  expect(parseRegQuery('ERROR: The system was unable to find the specified registry key or value.')).toEqual(
    [],
  );
});

test('what is at a path is seen, also through a link', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-discover-'));
  try {
    writeFileSync(join(folder, 'kd'), '#!/bin/sh');
    expect(await lookAt(folder)).toBe('folder');
    expect(await lookAt(join(folder, 'kd'))).toBe('file');
    expect(await lookAt(join(folder, 'none'))).toBeUndefined();
    symlinkSync(folder, join(folder, 'link'), 'junction');
    if (process.platform !== 'win32') expect(await lookAt(join(folder, 'link'))).toBe('folder');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
