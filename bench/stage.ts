/** The product in a temporary home: a session on the simulator, as any client has one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Program, simulatorProgram } from '../src/client/program.ts';
import { createSessions } from '../src/client/registry.ts';
import type { Session } from '../src/client/sessions.ts';
import { connectMcp, type McpClient } from '../src/mcp/client.ts';

/** Programs as they are shipped. */
export const PROGRAM: Program = {
  command: process.execPath,
  script: resolve(import.meta.dirname, '../dist/cli.js'),
};

export interface Stage {
  readonly home: string;
  /** A session, halted, on a guest whose `!process 0 7` prints more than 10 MB. */
  readonly session: Session;
  /** Starts `kd-mcp serve` on the same home. */
  serve(): Promise<McpClient>;
  dispose(): Promise<void>;
}

/** The simulator with the scenario of all measurements; the text behind `-k` is any that needs no port. */
export function simulator(): readonly [string, ...string[]] {
  return [...simulatorProgram(PROGRAM), '--scenario', 'big', '-k', 'usb:targetname=bench'];
}

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-bench-'));
  const home = join(folder, 'home');
  const config = join(folder, 'config.yaml');
  writeFileSync(config, 'kd: {}\n');
  const sessions = createSessions({ home, identity: { kind: 'agent', name: 'bench' }, program: PROGRAM });
  const { session } = await sessions.start({
    connection: { transport: 'simulator', scenario: 'big' },
    breakOnConnect: true,
  });
  const { outcome } = await session.waitForBreak({ timeoutMs: 30_000, generation: 0 });
  if (outcome === 'pending') throw new Error('The simulated guest did not stop.');
  return {
    home,
    session,
    serve: () =>
      connectMcp({
        name: 'bench',
        version: '1',
        server: [PROGRAM.command, PROGRAM.script, 'serve', '--config', config, '--home', home],
      }),
    dispose: async () => {
      await session.stop('resume');
      sessions.dispose();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
