/** Finds WinDbg, the window that a person debugs in (kd-behaviour.md §1.4): configuration, Microsoft Store, beside kd.exe. */
import { win32 } from 'node:path';
import { type DiscoverOptions, findKd } from './discover.ts';
import { lookAt } from './installed.ts';
import { programOf } from './script.ts';

export interface WinDbgOptions extends DiscoverOptions {
  /** `kd.windbg_exe`. */
  readonly windbgExe?: string | undefined;
}

/** Program and leading arguments; undefined when there is none. The Store's, which is kept up to date, before the kits'. */
export async function findWinDbg(
  options: WinDbgOptions = {},
): Promise<readonly [string, ...string[]] | undefined> {
  const { windbgExe, env = process.env, platform = process.platform, look = lookAt } = options;
  if (windbgExe !== undefined && windbgExe.trim() !== '') return programOf(windbgExe.trim());
  if (platform !== 'win32') return undefined;
  const local = Object.entries(env).find(([name]) => name.toUpperCase() === 'LOCALAPPDATA')?.[1];
  const places = local === undefined ? [] : [`${local}\\Microsoft\\WindowsApps\\WinDbgX.exe`];
  // A wrong kd_exe is reported where kd is needed.
  const kds = await findKd(options).catch(() => []);
  for (const place of [...places, ...kds.map(({ path }) => `${win32.dirname(path)}\\windbg.exe`)]) {
    const there = await look(place);
    if (there === 'file' || there === 'alias') return [place];
  }
  return undefined;
}

/** What to do where there is none. */
export const NO_WINDBG =
  'WinDbg was not found. Install it (winget install Microsoft.WinDbg), or name it with kd.windbg_exe.';
