/** The code pages of a Windows system: which bytes kd reads and writes (kd-behaviour.md §4.5, engine.md §8). */
import { attempt, succeeded, type Win32Result } from './win32-library.ts';

/** The ANSI code page, e.g. 1252, 949, 65001: what kd's console output and its input lines are encoded in. */
export function ansiCodePage(): Win32Result<number> {
  return attempt(({ kernel32 }) => succeeded(kernel32.GetACP()));
}

/** The OEM code page, e.g. 437, 949: what a console starts with. */
export function oemCodePage(): Win32Result<number> {
  return attempt(({ kernel32 }) => succeeded(kernel32.GetOEMCP()));
}
