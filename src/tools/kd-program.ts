/** The debugger that a start uses when it names none. */

import type { Config } from '../config/schema.ts';
import { findKd, KdNotFoundError } from '../kd/discover.ts';
import { programOf } from '../kd/script.ts';
import { ToolError } from './tool.ts';

/** @throws ToolError that says where kd.exe was searched for and what to do */
export async function kdProgram({ kd }: Config): Promise<readonly [string, ...string[]]> {
  try {
    const [best] = await findKd({ kdExe: kd.kd_exe });
    if (best !== undefined) return programOf(best.path);
    throw new ToolError('No kd.exe was found. Set kd.kd_exe to the path of kd.exe.');
  } catch (error) {
    if (error instanceof KdNotFoundError) throw new ToolError(error.message);
    throw error;
  }
}
