/** start_from_state and start_kd: a session for a target, or the one that already runs for it. */

import { userHomeFolder } from '../config/home.ts';
import { expandPath } from '../config/paths.ts';
import { leadsElsewhere } from '../policy/start.ts';
import { readStateFile } from '../state-file/read.ts';
import { StateFileError } from '../state-file/schema.ts';
import { flag, text } from './arguments.ts';
import { CONNECTION_ARGUMENTS, connectionOf } from './connection-arguments.ts';
import { startSession } from './start-session.ts';
import { startInWinDbg } from './start-windbg.ts';
import { type Argument, type Arguments, type Tool, type ToolContext, ToolError } from './tool.ts';

const BREAK_ON_CONNECT: Argument = {
  type: 'boolean',
  description: 'Stop the target as soon as it connects (default: kd.auto_initial_break)',
};
const DEBUGGER: Argument = {
  type: 'string',
  description:
    'kd (default). windbg: WinDbg owns the target, in a window for the person; this session joins it',
  enum: ['kd', 'windbg'],
};
const WAIT_SEC: Argument = {
  type: 'number',
  description: 'Wait for kd and the link, default 30, at most 45',
  minimum: 0,
};

export const startFromStateTool: Tool = {
  name: 'start_from_state',
  title: 'Start from state file',
  description:
    'Start (or join) the session that the state file of WinRM-MCP describes (written by configure_kdnet). The usual way. The guest keeps running; break_in halts it.',
  args: {
    state_file: { type: 'string', description: 'Path; default: kd.state_file of the configuration' },
    break_on_connect: BREAK_ON_CONNECT,
    wait_sec: WAIT_SEC,
  },
  effect: 'act',
  idempotent: true,
  run: async (args, context) => {
    const path = statePath(text(args, 'state_file')) ?? context.config.kd.state_file;
    requireNear(path, context);
    const state = await readState(path, context);
    // No target=: the guest contacts the host, and its address may have changed (design.md §5).
    return startSession(args, context, {
      connection: { transport: 'net', port: state.port, key: state.key },
      guestHost: state.guest_host,
      stateFile: path,
      breakOnConnect: breakOnConnect(args, context),
    });
  },
};

export const startKdTool: Tool = {
  name: 'start_kd',
  title: 'Start kd',
  description:
    'Start (or join) a session for a target named here. KDNET: port, key, target as before, or kdnet. Other transports: their own arguments. With a state file use start_from_state.',
  args: {
    ...CONNECTION_ARGUMENTS,
    debugger: DEBUGGER,
    break_on_connect: BREAK_ON_CONNECT,
    wait_sec: WAIT_SEC,
  },
  effect: 'act',
  idempotent: true,
  run: async (args, context) => {
    const start = text(args, 'debugger') === 'windbg' ? startInWinDbg : startSession;
    return start(args, context, {
      connection: connectionOf(args, context.config),
      breakOnConnect: breakOnConnect(args, context),
    });
  },
};

function breakOnConnect(args: Arguments, context: ToolContext): boolean {
  return flag(args, 'break_on_connect') ?? context.config.kd.auto_initial_break;
}

/** As it would stand in a configuration. */
function statePath(named: string | undefined): string | undefined {
  if (named === undefined || named.trim() === '') return undefined;
  try {
    return expandPath(named, { env: process.env, userHome: userHomeFolder(), base: process.cwd() });
  } catch (error) {
    throw new ToolError(`state_file: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Before it is opened: that alone signs in on the other machine. */
function requireNear(path: string, { config }: ToolContext): void {
  if (!leadsElsewhere(path) || path === config.kd.state_file || config.security.level === 'unrestricted')
    return;
  throw new ToolError(
    `state_file: ${path} is on another machine, and to open it signs in there as the person. Next: ask the person to set kd.state_file in the configuration, then leave state_file out.`,
  );
}

async function readState(path: string, context: ToolContext): ReturnType<typeof readStateFile> {
  try {
    return await readStateFile(path, { signal: context.signal });
  } catch (error) {
    if (error instanceof StateFileError) throw new ToolError(error.message);
    throw error;
  }
}
