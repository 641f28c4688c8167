/** The real program on Windows over Microsoft's engine and KDNET: client → launcher → host → kd → guest. Run by run.mjs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createSessions } from '../../../src/client/registry.ts';
import type { Session, Sessions, StartOptions } from '../../../src/client/sessions.ts';
import { eventually, freePort, gone } from './waiting.ts';

const here = import.meta.dirname;
const options = { timeout: 90_000 };
const key = '1.2.3.4';

/** A guest of the test's own, and a session that is linked to it. */
async function linked(
  t: TestContext,
): Promise<{ sessions: Sessions; session: Session; start: StartOptions }> {
  const port = await freePort();
  const simulator = join(here, 'app', 'simulator.js');
  const guest = spawn(process.execPath, [simulator, '--wire', '--port', String(port), '--key', key], {
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  t.after(() => guest.kill('SIGKILL'));
  await once(guest.stdout, 'data');
  guest.stdout.resume();
  const sessions = createSessions({
    home: mkdtempSync(join(here, 'home-')),
    identity: { kind: 'agent', name: 'windows test' },
    program: { command: process.execPath, script: join(here, 'app', 'cli.js') },
  });
  t.after(async () => {
    for (const record of await sessions.list()) process.kill(record.hostPid, 'SIGKILL');
    sessions.dispose();
  });
  const start: StartOptions = {
    connection: { transport: 'net', port, key },
    kd: [process.env.KD_ENGINE_PROGRAM ?? ''],
  };
  const { session } = await sessions.start(start);
  await eventually('the link to the guest', () => session.info.status.linked || undefined);
  return { sessions, session, start };
}

test('ten breaks in a row stop the guest; commands answer; the end lets it run', options, async (t) => {
  const { session } = await linked(t);
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const began = performance.now();
    const broken = await session.breakIn(20_000);
    times.push(performance.now() - began);
    assert.equal(broken.outcome, 'done', JSON.stringify(broken));
    const { results } = await session.command([`.echo round ${round}`], { timeoutMs: 20_000 });
    assert.equal(results[0]?.outcome, 'done');
    assert.equal((await session.go(0)).outcome, 'done');
    await eventually('the guest runs', () => session.info.status.state === 'running' || undefined);
  }
  times.sort((a, b) => a - b);
  t.diagnostic(`break to stop in ms, median: ${times[5]?.toFixed(0)}`);
  const { kdPid = 0, hostPid } = session.info;
  assert.equal((await session.stop('resume')).guest, 'running');
  await gone(kdPid);
  await gone(hostPid);
});

test(
  'a host that is killed takes kd along; the port is free and a new session frees the guest',
  options,
  async (t) => {
    const { sessions, session, start } = await linked(t);
    await session.breakIn(20_000);
    const { kdPid = 0, hostPid } = session.info;
    process.kill(hostPid, 'SIGKILL');
    await gone(hostPid);
    await gone(kdPid);
    assert.deepEqual(await sessions.list(), []);
    const again = await sessions.start(start);
    await eventually('the stop', () => again.session.info.status.state === 'broken' || undefined);
    assert.equal((await again.session.stop('resume')).guest, 'running');
  },
);
