/**
 * `<home>/bin/kd-mcp.mjs`: runs the newest program in `<home>/runtime`, in this very process.
 *
 * Configurations of other clients name this file and the Node beside it, so it must keep working whatever comes and goes
 * in `runtime`. It is a bundle of its own and uses nothing of the programs it starts.
 */
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { editionsIn, runtimeFolder } from './host/runtime-folder.ts';

const copies = runtimeFolder(dirname(import.meta.dirname));
const [newest] = editionsIn(copies);
if (newest === undefined) {
  process.stderr.write(
    `kd-mcp: there is no program in ${copies}. Start VS Code with the extension KD-MCP once: it puts it there.\n`,
  );
  process.exit(1);
}
const script = join(copies, newest, 'cli.js');
process.argv[1] = script;
await import(pathToFileURL(script).href);
