/** How a client starts the programs that belong to it: `kd-mcp launch`, and the simulator. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
  return {
    command: process.execPath,
    script,
    // VS Code's own runtime is a Node only when it is told so.
    ...(process.versions.electron === undefined ? {} : { env: { ELECTRON_RUN_AS_NODE: '1' } }),
  };
}

/** @throws SessionError when the program's folder is gone, e.g. after an update. */
export function requireProgram(program: Program): void {
  if (existsSync(program.script) && existsSync(program.command)) return;
  const missing = existsSync(program.script) ? program.command : program.script;
  throw new SessionError(
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
