/** `kd-mcp serve`. */
import { serveStdio } from '../mcp/serve.ts';
import { VERSION } from '../version.ts';
import type { GlobalOptions } from './program.ts';

export async function serve(options: GlobalOptions): Promise<void> {
  await serveStdio({
    version: VERSION,
    context: async (identity) => {
      const { toolContext } = await import('./context.ts');
      return toolContext(options, identity);
    },
  });
}
