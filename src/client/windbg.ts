/**
 * A person's WinDbg: started by a client and never by a session host, whose job object would end it with the session
 * (it is the person's window, and outlives everything here).
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { type ServerPlan, tcpServer } from '../host/sharing.ts';
import { kdArguments } from '../kd/arguments.ts';
import type { Connection } from '../kd/connection.ts';
import { SessionError } from './sessions.ts';

type Program = readonly [string, ...string[]];

/** WinDbg as a client of a session that was opened to it. Its command line shows the password, as long as it lives. */
export function openWinDbg(program: Program, remote: string): Promise<void> {
  return startDetached(program, ['-remote', remote]);
}

/**
 * WinDbg as the owner of a target, with a debugging server that a session can join. `-server` must come first
 * (kd-behaviour.md §1.1). It knows no `-noshell`, so the command does it before anybody has a prompt: others send commands too.
 */
export function startWinDbg(
  program: Program,
  connection: Connection,
  server: ServerPlan,
  symbolPath: string | undefined,
): Promise<void> {
  const { args } = kdArguments(connection, { symbolPath });
  const own = args.filter((argument) => argument !== '-noshell');
  return startDetached(program, ['-server', server.transport, '-c', '.noshell', ...own]);
}

/** Can a server with this name be there? On Windows pipes can be listed; to try to connect would use one up. */
export function mayListen(server: ServerPlan): boolean {
  if (process.platform !== 'win32' || tcpServer(server)) return true;
  const name = server.listed.replace(/^npipe:Pipe=/, '').toLowerCase();
  try {
    return readdirSync('\\\\.\\pipe\\').some((each) => each.toLowerCase() === name);
  } catch {
    return true;
  }
}

function startDetached([program, ...leading]: Program, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...leading, ...args], { detached: true, stdio: 'ignore' });
    child.once('error', (error) =>
      reject(new SessionError(`WinDbg (${program}) could not be started: ${error.message}`)),
    );
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
