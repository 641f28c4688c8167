/**
 * Ends kd when its host is killed, where there is no job object (see win32.ts for Windows).
 *
 * A kd whose host is gone would keep its port and, halted, its guest, with nobody to talk to it: at its prompt it ends at
 * the end of stdin, but running or waiting it reads no stdin (kd-behaviour.md §4.3). A shell waits for the end of a pipe
 * whose other end only the host holds, and then kills kd.
 */
import { spawn } from 'node:child_process';
import type { Disposable } from './disposable.ts';

export function startWatchdog(kdPid: number | undefined): Disposable {
  if (process.platform === 'win32' || kdPid === undefined) return { dispose: () => {} };
  const shell = spawn('/bin/sh', ['-c', 'read -r line; kill -9 "$0"', String(kdPid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
    // Out of the host's process group: what kills the group must not kill this first.
    detached: true,
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return { dispose: () => shell.kill('SIGKILL') };
}
