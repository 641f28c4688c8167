/** Is the process that a record names still that process? A pid alone may have been given to another one. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { processStartTime } from './win32.ts';

/** When a process started, in the system's own unit; undefined when it is gone or the system does not tell. */
export function processStart(pid: number): string | undefined {
  switch (process.platform) {
    case 'linux':
      return linuxStart(pid)?.started;
    case 'win32': {
      const started = processStartTime(pid);
      return started.ok ? started.value : undefined;
    }
    default:
      return psStart(pid);
  }
}

/** False only when it is certain that the process is gone. */
export function isRunning(pid: number, started: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process (EPERM) is a process.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  if (process.platform === 'linux' && linuxStart(pid)?.zombie === true) return false;
  const now = started === undefined ? undefined : processStart(pid);
  return now === undefined || now === started;
}

/** `/proc/<pid>/stat`, field 22: ticks since boot. The boot's own id tells one boot from the next. */
function linuxStart(pid: number): { readonly started: string; readonly zombie: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name stands in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    return { started: `${boot}:${fields[19]}`, zombie: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

function psStart(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return started.trim() || undefined;
  } catch {
    return undefined;
  }
}
