/** The package for Windows, as VS Code unpacks it: copied into the home, run from there. Run by run.mjs. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { simulatorProgram } from '../../../src/client/program.ts';
import { createSessions } from '../../../src/client/registry.ts';
import { createRuntime } from '../../../src/client/runtime.ts';
import { eventually, gone } from './waiting.ts';

const options = { timeout: 120_000 };
const dist = join(import.meta.dirname, 'extension', 'dist');
const home = mkdtempSync(join(import.meta.dirname, '김철수 home-'));
const runtime = createRuntime({ folder: dist, home });

test('the lasting Node and script run, and can ask Windows', options, async () => {
  const { command, script } = await runtime.lasting();
  assert.equal(dirname(command), join(home, 'bin'));
  // It fails: there is no kd.exe.
  const { stdout } = spawnSync(command, [script, 'doctor', '--home', home], { encoding: 'utf8' });
  assert.match(stdout, /^ok {7}Windows: runs (as administrator|without)/m);
});

test('a Node in bin that runs makes room for another one, and is removed later', options, async () => {
  const { command, script } = await runtime.program();
  const { command: lasting } = await runtime.lasting();
  rmSync(lasting);
  // As an older one: it has another time.
  copyFileSync(process.execPath, lasting);
  const old = spawn(lasting, ['-e', 'process.stdout.write("runs"); process.stdin.resume()']);
  await once(old.stdout, 'data');
  assert.equal((await runtime.program()).script, script);
  assert.equal(statSync(lasting).mtimeMs, statSync(command).mtimeMs);
  const ended = once(old, 'exit');
  old.stdin.end();
  await ended;
  await runtime.program();
  assert.deepEqual(readdirSync(join(home, 'bin')).sort(), ['kd-mcp.mjs', 'node.exe']);
});

test('a session outlives the extension that started it', options, async (t) => {
  const program = await runtime.program();
  const sessions = createSessions({ home, identity: { kind: 'agent', name: 'windows test' }, program });
  t.after(() => sessions.dispose());
  const { session } = await sessions.start({
    connection: { transport: 'simulator', scenario: 'idle' },
    kd: simulatorProgram(program),
  });
  const { hostPid } = session.info;
  rmSync(join(import.meta.dirname, 'extension'), { recursive: true });
  assert.equal((await session.breakIn(20_000)).info.status.state, 'broken');
  assert.deepEqual(await runtime.program(), program);
  assert.equal((await session.stop('resume')).guest, 'running');
  await gone(hostPid);
});

test('an edition that a host runs from stays, and goes when the host is gone', options, async (t) => {
  const copies = join(home, 'runtime');
  const [edition = ''] = readdirSync(copies);
  const program = await runtime.program();
  const sessions = createSessions({ home, identity: { kind: 'agent', name: 'windows test' }, program });
  t.after(() => sessions.dispose());
  const { session } = await sessions.start({ connection: { transport: 'simulator', scenario: 'idle' } });
  const { hostPid } = session.info;
  // This process uses it too; as a window that is closed.
  rmSync(join(copies, edition, 'users', String(process.pid)));
  const { tidyRuntimes } = await import('../../../src/client/runtime-tidy.ts');
  await tidyRuntimes(copies, '0.0.0-00000000');
  assert.deepEqual(readdirSync(copies), [edition]);
  await session.stop('resume');
  await gone(hostPid);
  await eventually('the copy is gone', async () => {
    await tidyRuntimes(copies, '0.0.0-00000000');
    return !existsSync(join(copies, edition)) || undefined;
  });
});
