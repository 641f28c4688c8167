/** `kd-mcp rescue`. */
import type { GlobalOptions } from './program.ts';

export async function rescue(_id: string | undefined, _options: GlobalOptions): Promise<number> {
  throw new Error('not there yet');
}
