/** Launcher → detached host → kd with a hidden console, over a named pipe. Run by run.mjs with a Windows Node. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { breakOnce, echo, pids, resume } from './protocol.ts';
import { connectSoon, gone, lives } from './waiting.ts';

/** Nothing here takes long; what hangs is ended, with what it started. */
const options = { timeout: 30_000 };

async function startChain(t: TestContext, ...kdArgs: string[]) {
  const pipe = `\\\\.\\pipe\\kd-mcp-test-${process.pid}-${process.hrtime.bigint()}`;
  const here = import.meta.dirname;
  const launcher = spawn(
    process.execPath,
    [join(here, 'launcher.mjs'), join(here, 'host-like.mjs'), pipe, join(here, 'fake-kd.exe'), ...kdArgs],
    { stdio: 'ignore', windowsHide: true },
  );
  assert.deepEqual(await once(launcher, 'exit'), [0, null]);
  const socket = await connectSoon(pipe);
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  connection.listen();
  const processes = await connection.sendRequest(pids, {});
  t.after(() => {
    for (const pid of Object.values(processes)) if (lives(pid)) process.kill(pid, 'SIGKILL');
    socket.destroy();
  });
  return { connection, ...processes };
}

test(
  'ten breaks in a row stop the target, in less than 50 ms in the median, and the host outlives them',
  options,
  async (t) => {
    const { connection, host, kd } = await startChain(t);
    const times: number[] = [];
    const rungs = new Set<string>();
    for (let i = 0; i < 10; i++) {
      const { rung, refused, ms } = await connection.sendRequest(breakOnce, {});
      times.push(ms);
      rungs.add([...refused, `${rung}: stopped`].join(', '));
      assert.match(
        await connection.sendRequest(echo, { text: `after ${i}` }),
        new RegExp(`after ${i}\\r?\\n`),
      );
      await connection.sendRequest(resume, {});
    }
    const [median = Number.NaN] = times.toSorted((a, b) => a - b).slice(5);
    t.diagnostic(
      `${[...rungs].join(' | ')}; median ${median.toFixed(1)} ms, first ${times[0]?.toFixed(1)} ms`,
    );
    assert.ok(median < 50, `median ${median} ms`);
    assert.ok(lives(host) && lives(kd));
    process.kill(host, 'SIGKILL');
    await gone(kd);
  },
);

test('kd ends with its host when the host is killed while the target is stopped', options, async (t) => {
  const { connection, host, kd } = await startChain(t);
  await connection.sendRequest(breakOnce, {});
  process.kill(host, 'SIGKILL');
  await gone(host);
  await gone(kd);
});

test('the real debugger behind a Store alias is stopped, and ends with the host', options, async (t) => {
  const { connection, host, kd } = await startChain(t, '--behind');
  await connection.sendRequest(breakOnce, {});
  process.kill(host, 'SIGKILL');
  await gone(kd);
});

test(
  'a named pipe carries JSON-RPC both ways and tells its client when the host is gone',
  options,
  async (t) => {
    const { connection, host, kd } = await startChain(t);
    const closed = new Promise<void>((resolve) => connection.onClose(resolve));
    const start = performance.now();
    for (let i = 0; i < 100; i++) await connection.sendRequest(pids, {});
    t.diagnostic(`${((performance.now() - start) / 100).toFixed(2)} ms a request`);
    process.kill(host, 'SIGKILL');
    await closed;
    await gone(kd);
  },
);
