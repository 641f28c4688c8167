/** `debugger: "windbg"`: WinDbg owns the target, in a window that is the person's; the session joins it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionError, type StartOptions } from '../client/sessions.ts';
import { mayListen, startWinDbg } from '../client/windbg.ts';
import { startRefusal } from '../host/permission.ts';
import { isForTarget } from '../host/record-target.ts';
import { pipePlan } from '../host/sharing.ts';
import { findWinDbg, NO_WINDBG } from '../kd/windbg.ts';
import { startSession } from './start-session.ts';
import { type Arguments, type ToolContext, ToolError } from './tool.ts';
import { unlessAborted } from './wait.ts';

/** How long WinDbg may take until its server is there. */
const OPEN_MS = 30_000;
const RETRY_MS = 500;
const NOT_YET = /no debugger listens there/;

/** Starts WinDbg with a server that has a random pipe and password, then joins it. */
export async function startInWinDbg(
  args: Arguments,
  context: ToolContext,
  options: StartOptions,
): Promise<string> {
  const { connection } = options;
  const { kd } = context.config;
  if (connection.transport === 'remote')
    throw new ToolError(
      'debugger="windbg" starts a debugger; a remote one runs already. Leave debugger out.',
    );
  if (connection.transport === 'simulator')
    throw new ToolError('WinDbg cannot debug the simulator. Leave debugger out.');
  const { security } = context.config;
  const refusal = startRefusal({
    startedBy: context.sessions.identity,
    limits: { level: security.level, security },
    connection,
  });
  if (refusal !== undefined) throw new ToolError(refusal);
  const held = (await context.sessions.list()).find((record) => isForTarget(record, connection));
  if (held !== undefined) {
    throw new ToolError(
      `Session ${held.id} has this target, and only one debugger can. Ask the person to open it in WinDbg ("KD: Open in WinDbg", kd-mcp share ${held.id}), or stop_kd it first.`,
    );
  }
  const program = await findWinDbg({ windbgExe: kd.windbg_exe, kdExe: kd.kd_exe });
  if (program === undefined)
    throw new ToolError(`${NO_WINDBG} Or leave debugger out: kd.exe then owns the target.`);
  const server = pipePlan();
  context.progress('starting WinDbg');
  await startWinDbg(program, connection, server, options.symbolPath ?? kd.symbol_path);
  const deadline = Date.now() + OPEN_MS;
  const { connection: _target, stateFile: _key, ...rest } = options;
  const joined: StartOptions = { ...rest, connection: { transport: 'remote', remote: server.remote } };
  for (;;) {
    try {
      if (mayListen(server)) return await startSession(args, context, joined);
    } catch (error) {
      const notYet =
        (error instanceof SessionError || error instanceof ToolError) && NOT_YET.test(error.message);
      if (!notYet) throw error;
    }
    if (Date.now() > deadline) {
      throw new ToolError(
        'WinDbg was started, but opened no server. Look at its window; close it and start again, or leave debugger out.',
      );
    }
    await unlessAborted(context.signal, sleep(RETRY_MS));
  }
}
