/** How a program that was named by its path is started. */
import { extname } from 'node:path';

const SCRIPT = new Set(['.js', '.mjs', '.cjs', '.ts']);

/**
 * Program and leading arguments. A script cannot be started by itself on Windows, so this Node runs it: that is how the
 * simulator, or a wrapper around a debugger, stands in for kd.exe on every system.
 */
export function programOf(path: string): readonly [string, ...string[]] {
  return SCRIPT.has(extname(path).toLowerCase()) ? [process.execPath, path] : [path];
}
