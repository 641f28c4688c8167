/** The bundled simulator in the place of kd.exe and its guest. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { runningProgram, simulatorProgram } from '../client/program.ts';
import { freeKdnetPort, newKdnetKey } from './connection.ts';
import type { Guest } from './guest.ts';

/** Of the loopback network, so that it can have WinRM's own port. */
const ADDRESSES = ['127.77.0.1', '127.77.0.2', '127.77.0.3', '127.77.0.4'];

/** Puts into `folder` a small program that is to be named as kd_exe. */
export async function simulatedGuest(folder: string): Promise<Guest> {
  const file = join(folder, 'guest.json');
  const control =
    process.platform === 'win32'
      ? `\\\\.\\pipe\\kd-mcp-demo-${process.pid}`
      : join(folder, 'guest-control.sock');
  const host = await winrmAddress();
  const [, simulator = ''] = simulatorProgram(runningProgram());
  const kdExe = join(folder, 'kd.mjs');
  const options = ['--scenario', 'idle', '--guest', file, '--control', control, '--winrm', host];
  writeFileSync(
    kdExe,
    `process.argv.push(...${JSON.stringify(options)});\nawait import(${JSON.stringify(pathToFileURL(simulator).href)});\n`,
  );
  return {
    description: 'Guest and kd.exe are simulated: no Windows is needed.',
    kdExe,
    host,
    port: await freeKdnetPort(50_000),
    key: newKdnetKey(),
    hasWinrm: true,
    longCommand: '!process 0 7',
    print: (text) => ask(control, `print ${text.replaceAll('\n', '\\n')}`),
    execute: (symbol) => ask(control, `hit ${symbol}`),
    proveRunning: async () => {
      const { state }: { readonly state?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
      if (state !== 'running') throw new Error(`The guest was left ${String(state)}.`);
      return 'The guest itself says: running.';
    },
    dispose: async () => {},
  };
}

/** One request to the simulator's control socket. */
function ask(control: string, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(control);
    socket.once('error', reject);
    createInterface({ input: socket }).once('line', (answer) => {
      socket.destroy();
      if (answer.startsWith('ok')) resolve();
      else reject(new Error(`The simulator says to "${line}": ${answer}`));
    });
    socket.write(`${line}\n`);
  });
}

/** An address with WinRM's port free; else any free port of 127.0.0.1 (macOS has no other loopback addresses). */
async function winrmAddress(): Promise<string> {
  for (const address of ADDRESSES) if ((await listenable(address, 5985)) !== undefined) return address;
  return `127.0.0.1:${await listenable('127.0.0.1', 0)}`;
}

function listenable(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
