/** `--engine`: what a command costs over Microsoft's engine on KDNET, beside the same console program on a bare pipe. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '../src/client/registry.ts';
import { freePort, kdProgram } from '../test/engine/engine.ts';
import { spawnGuest } from '../test/engine/wire-guest.ts';
import { measureQuick } from './commands.ts';
import { RawKd } from './raw-kd.ts';
import { PROGRAM } from './stage.ts';
import type { Row } from './table.ts';

export async function measureEngine(): Promise<readonly Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'kd-mcp-bench-'));
  const [guest, other] = [await spawnGuest(), await spawnGuest({ port: await freePort() })];
  const sessions = createSessions({ home, identity: { kind: 'agent', name: 'bench' }, program: PROGRAM });
  const { session } = await sessions.start({
    connection: { transport: 'net', port: guest.port, key: guest.key },
    kd: [kdProgram()],
  });
  const raw = await RawKd.start(
    [kdProgram(), '-k', `net:port=${other.port},key=${other.key}`],
    'Connected to target',
  );
  try {
    await session.breakIn(30_000);
    return [await measureQuick("a command on Microsoft's engine", session, raw)];
  } finally {
    await session.stop('resume');
    await raw.dispose();
    sessions.dispose();
    await guest.end();
    await other.end();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
