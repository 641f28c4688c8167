/** How a client starts the programs that belong to it: `kd-mcp launch`, and the simulator. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { binFolder, CARRIED_NODE, LASTING_SCRIPT, runtimeFolder } from '../host/runtime-folder.ts';
import { SessionError } from './sessions.ts';

/** The `kd-mcp` script and what runs it. */
export interface Program {
  readonly command: string;
  /** `dist/cli.js`, or `src/cli.ts` in a checkout. */
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The program that is running now. In an extension the process is VS Code's: there the script is beside the bundle.
 * @throws SessionError when it cannot be told; name the script then.
 */
export function runningProgram(script: string | undefined = runningScript()): Program {
  if (script === undefined)
    throw new SessionError('The kd-mcp program was not found beside this one. Reinstall it.');
  const carried = join(dirname(script), CARRIED_NODE);
  if (existsSync(carried)) return { command: carried, script };
  return {
    command: process.execPath,
    script,
    // VS Code's own runtime is a Node only when it is told so.
    ...(process.versions.electron === undefined ? {} : { env: { ELECTRON_RUN_AS_NODE: '1' } }),
  };
}

/** What other clients' configurations name: of a copy in `<home>` the part that outlasts updates, else the program. */
export function lastingProgram(program: Program): Program {
  const copies = dirname(dirname(program.script));
  const home = dirname(copies);
  const bin = binFolder(home);
  const lasting = { command: join(bin, CARRIED_NODE), script: join(bin, LASTING_SCRIPT) };
  if (copies !== runtimeFolder(home) || !existsSync(lasting.command) || !existsSync(lasting.script))
    return program;
  return lasting;
}

/** @throws SessionError when the program's folder is gone, e.g. after an update. */
export function requireProgram(program: Program): void {
  if (existsSync(program.script) && existsSync(program.command)) return;
  throw programIsGone(existsSync(program.script) ? program.command : program.script);
}

/** It was updated, moved or removed while this process ran. */
export function programIsGone(missing: string): SessionError {
  return new SessionError(
    `KD-MCP's own program is gone (${missing}): it was updated, moved or removed. Sessions that run go on; to start one, reload the window or restart the MCP server.`,
  );
}

/** The bundled simulator of kd.exe, as program and leading arguments. @throws SessionError when it is gone. */
export function simulatorProgram(program: Program): readonly [string, ...string[]] {
  requireProgram(program);
  const folder = dirname(program.script);
  const script = program.script.endsWith('.ts')
    ? join(folder, 'simulator', 'main.ts')
    : join(folder, 'simulator.js');
  return [program.command, script];
}

function runningScript(): string | undefined {
  const beside = typeof __dirname === 'string' ? join(__dirname, 'cli.js') : undefined;
  if (beside !== undefined && existsSync(beside)) return beside;
  const main = process.argv[1];
  if (main === undefined || !existsSync(main)) return undefined;
  // The command in a `bin` folder is a link.
  const real = realpathSync(main);
  return /^cli\.[jt]s$/.test(basename(real)) ? real : undefined;
}
