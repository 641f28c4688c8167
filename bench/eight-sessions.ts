/** Memory of the session hosts when eight sessions are in use at once, beside a Node that does nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '../src/client/registry.ts';
import { residentMb } from './measure.ts';
import { bareNode } from './memory.ts';
import { PROGRAM } from './stage.ts';
import type { Row } from './table.ts';

const SESSIONS = 8;
/** 1,000 commands in all. */
const COMMANDS_EACH = 125;

export async function measureEightSessions(): Promise<readonly Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'kd-mcp-bench-'));
  const sessions = createSessions({ home, identity: { kind: 'agent', name: 'bench' }, program: PROGRAM });
  try {
    const bare = await bareNode();
    const open = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const { session } = await sessions.start({
          connection: { transport: 'simulator', scenario: 'idle' },
        });
        await session.breakIn(30_000);
        return session;
      }),
    );
    await Promise.all(
      open.map(async (session) => {
        for (let i = 0; i < COMMANDS_EACH; i++) await session.command(['r'], { timeoutMs: 30_000 });
      }),
    );
    const largest = Math.max(...open.map(({ info }) => residentMb(info.hostPid)));
    await Promise.all(open.map((session) => session.stop('resume')));
    const over = largest - bare;
    return [
      {
        what: `memory of the largest host, ${SESSIONS} sessions`,
        ours: `${largest.toFixed(0)} MB`,
        raw: `${bare.toFixed(0)} MB bare node`,
        figure: `+${over.toFixed(0)} MB`,
        goal: { text: '≤ bare node + 25 MB', met: over <= 25 },
      },
    ];
  } finally {
    sessions.dispose();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
