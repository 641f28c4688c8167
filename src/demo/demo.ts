/** Sets the stage for the main job in a temporary folder, has it told, and leaves nothing behind. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runningProgram } from '../client/program.ts';
import { createSessions } from '../client/registry.ts';
import { connectMcp } from '../mcp/client.ts';
import { withoutKey } from '../state-file/schema.ts';
import { VERSION } from '../version.ts';
import { writeStateFile } from './connection.ts';
import { DemoFailure, tellMainJob } from './flow.ts';
import type { CallTool, Guest } from './guest.ts';
import { Narrator } from './narrator.ts';

export interface DemoOptions {
  /** Makes the guest; `folder` is there for its files, and is removed at the end. */
  readonly guest: (folder: string) => Promise<Guest>;
  /** The `kd-mcp` script; default: the program that runs. */
  readonly script?: string;
  /** What the person may do next. */
  readonly next: readonly string[];
}

/** Exit code: 0 when every step went as it should. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const narrator = new Narrator();
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-demo-'));
  const home = join(folder, 'home');
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new DemoFailure('Interrupted.'));
  process.once('SIGINT', interrupt);
  // Nobody reads the story any more (`| head`): the stage is cleared all the same.
  let unread = false;
  process.stdout.on('error', () => {
    unread = true;
    interrupt();
  });
  let guest: Guest | undefined;
  try {
    guest = await options.guest(folder);
    await tell(guest, folder, home, narrator, options, interrupted.signal);
    narrator.title('\nThat was the main job. Next:');
    for (const line of options.next) narrator.note(line);
    return 0;
  } catch (error) {
    if (unread) return 0;
    process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt);
    await stopAll(home);
    await guest?.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function tell(
  guest: Guest,
  folder: string,
  home: string,
  narrator: Narrator,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<void> {
  const stateFile = join(folder, 'kd-session.json');
  const config = join(folder, 'config.yaml');
  writeFileSync(config, stringify({ kd: { kd_exe: guest.kdExe, state_file: stateFile } }));

  narrator.title(`KD-MCP ${VERSION}: an agent debugs a Windows kernel`);
  narrator.note(guest.description);
  narrator.step(
    'The state file',
    'configure_kdnet() of WinRM-MCP sets the guest up for debugging and leaves this (the key is not shown):',
  );
  narrator.quote(JSON.stringify(withoutKey(writeStateFile(stateFile, guest)), null, 2), 12);

  narrator.step(
    'An MCP client starts the server',
    'As Copilot, Codex or Claude Code do: JSON-RPC over stdio.',
  );
  const { command, script } = runningProgram(options.script);
  const server: readonly [string, ...string[]] = [
    command,
    script,
    'serve',
    '--config',
    config,
    '--home',
    home,
  ];
  narrator.note(`kd-mcp serve --config ${config} --home ${home}`);
  const client = await connectMcp({ name: 'demo', version: VERSION, server, cwd: folder });
  try {
    narrator.note(`Its tools: ${(await client.listTools()).join(', ')}`);
    const call: CallTool = async (tool, args) => {
      const reply = await client.call(tool, args, signal);
      if (reply.isError) throw new DemoFailure(`${tool} answered: ${reply.text}`);
      return reply;
    };
    await tellMainJob(guest, call, narrator);
  } finally {
    await client.close();
  }
}

/** After a failure a session may still live. */
async function stopAll(home: string): Promise<void> {
  const sessions = createSessions({ home, identity: { kind: 'person', name: 'demo' } });
  try {
    for (const { id } of await sessions.list()) await (await sessions.open(id)).stop('resume');
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    sessions.dispose();
  }
}
