/** Starting a session host through the launcher, so that it outlives this process and its tree. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { requireOwnFolder } from '../host/files.ts';
import type { HostStart, HostStarted } from '../host/protocol.ts';
import { type Program, requireProgram } from './program.ts';
import { SessionError } from './sessions.ts';

/** Beyond the start-up time of kd itself: two Node processes, perhaps on a busy machine. */
const EXTRA_MS = 20_000;

/** @throws SessionError when no host could be started at all. What kd says of itself is in the answer. */
export async function launchHost(start: HostStart, program: Program): Promise<HostStarted> {
  requireProgram(program);
  mkdirSync(start.home, { recursive: true, mode: 0o700 });
  requireOwnFolder(start.home);
  const { said, failure } = await run(start, program);
  const started = parseAnswer(said);
  if (started !== undefined) return started;
  throw new SessionError(
    `The session host could not be started (${program.command} ${program.script} launch): ${failure ?? 'it gave no answer'}. kd-mcp doctor checks the set-up.`,
  );
}

function run(
  start: HostStart,
  program: Program,
): Promise<{ readonly said: string; readonly failure?: string }> {
  return new Promise((resolve) => {
    const child = spawn(program.command, [program.script, 'launch'], {
      cwd: start.home,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      env: { ...process.env, ...program.env },
    });
    let said = '';
    let complained = '';
    const finish = (failure?: string): void => {
      clearTimeout(timer);
      resolve(failure === undefined ? { said } : { said, failure });
    };
    const timer = setTimeout(
      () => {
        child.kill('SIGKILL');
        finish('it took too long');
      },
      start.startupTimeoutSec * 1000 + EXTRA_MS,
    );
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complained = (complained + text).slice(-1_000);
    });
    child.stdin.on('error', () => {});
    child.on('error', (error) => finish(error.message));
    child.on('close', (code, signal) => {
      const last = complained.trim().split('\n').at(-1) ?? '';
      finish(said === '' ? `it ended with ${signal ?? code}${last === '' ? '' : `: ${last}`}` : undefined);
    });
    // The key travels here, and in no argument or variable.
    child.stdin.end(JSON.stringify(start));
  });
}

function parseAnswer(said: string): HostStarted | undefined {
  try {
    const answer: HostStarted = JSON.parse(said.split('\n')[0] ?? '');
    return typeof answer.ok === 'boolean' ? answer : undefined;
  } catch {
    return undefined;
  }
}
