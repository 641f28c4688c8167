/**
 * What a Node that is too old does: npm only warns, and what such a Node says for itself nobody understands. Loaded by
 * any Node, so nothing newer than 20 may be used here.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** As `engines` in package.json says. */
const OLDEST = 22;

export function isNodeTooOld(): boolean {
  return Number.parseInt(process.versions.node, 10) < OLDEST;
}

/** Runs this program on the Node that `npm ci` puts into a checkout; elsewhere says what is needed. The exit code. */
export function runOnNewerNode(): Promise<number> {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = fileURLToPath(new URL(`../node_modules/node/bin/${name}`, import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write(
      `kd-mcp needs Node ${OLDEST} or newer; this is Node ${process.versions.node}. Install a newer one, or name its path instead of "node".\n`,
    );
    return Promise.resolve(1);
  }
  const child = spawn(own, process.argv.slice(1), { stdio: 'inherit', windowsHide: true });
  // It has stdin, so it notices by itself when a client goes; what is sent to this process is meant for it.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  // The terminal sends this one to both: only the child may decide.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
