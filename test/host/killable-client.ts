/** A client as a process of its own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Orders } from './client-process.ts';

/** Starts one, and resolves when it is in the session and has run its first line. It ends with the test. */
export async function killableClient(orders: Orders): Promise<ChildProcess> {
  const child = spawn(process.execPath, [resolve('test/host/client-process.ts'), JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((ready, failed) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => text.includes('ready') && ready());
    child.once('exit', (code) => failed(new Error(`the client ended with ${code}`)));
  });
  return child;
}
