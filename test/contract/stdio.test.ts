import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { CLI, createRig, type Rig } from '../host/rig.ts';
import { call, initialize, Serve } from '../host/serve-process.ts';

let rig: Rig;
const running: Serve[] = [];
beforeEach(async () => {
  rig = await createRig();
});
afterEach(async () => {
  for (const serve of running.splice(0)) serve.child.kill('SIGKILL');
  await rig.dispose();
});

/** As little as a program needs at all: Windows cannot start one without its own folder. */
const EMPTY: NodeJS.ProcessEnv = process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {};

/** Of this test's home; killed at its end. */
function serve(env?: NodeJS.ProcessEnv): Serve {
  const started = new Serve(['--home', rig.home], env);
  running.push(started);
  return started;
}

describe('serve on stdin and stdout', () => {
  it('lists and calls its tools for an SDK client', async () => {
    const client = new Client({ name: 'sdk', version: '1' });
    const args = [CLI, 'serve', '--home', rig.home];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
    expect((await client.listTools()).tools).toHaveLength(tools.length);
    expect(JSON.stringify(await client.callTool({ name: 'list_sessions' }))).toContain('no session lives');
    await client.close();
  });

  it('works with an empty environment', async () => {
    const server = serve(EMPTY);
    server.send(initialize, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, call(3, 'health_check'));
    expect(JSON.stringify(await server.answer(2))).toContain('kd_command');
    expect(JSON.stringify(await server.answer(3))).toContain(JSON.stringify(rig.home).slice(1, -1));
  });

  it('writes nothing but JSON-RPC to stdout, whatever it is sent', async () => {
    const server = serve();
    server.send(
      initialize,
      'this is no JSON',
      '{"jsonrpc":"2.0"}',
      '[]',
      '',
      call(7, 'nosuch'),
      call(8, 'kd_command', 5),
    );
    await server.answer(7);
    await server.answer(8);
    for (const line of server.lines()) expect(line.jsonrpc).toBe('2.0');
  });

  it('ends when its input ends, after it has answered what was asked before', async () => {
    const server = serve();
    server.send(initialize, call(2, 'list_sessions'));
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(server.lines().map((line) => line.id)).toEqual([1, 2]);
  });

  it('ends when its input ends in the middle of a wait, and leaves the session alone', async () => {
    const first = serve().send(initialize, call(2, 'start_kd', { scenario: 'idle' }));
    expect(JSON.stringify(await first.answer(2))).toContain('sim-1');
    first.send(call(3, 'wait_for_break', { timeout_sec: 45 }), call(4, 'list_sessions'));
    await first.answer(4);
    first.child.stdin.end();
    expect(await first.exited).toBe(0);
    expect(JSON.stringify(await first.answer(3))).toContain('cancelled');

    const second = serve().send(initialize, call(2, 'break_in'));
    expect(JSON.stringify(await second.answer(2))).toContain('sim-1 · broken');
    second.send(call(3, 'kd_command', { command: 'r' }));
    expect(JSON.stringify(await second.answer(3))).toContain('rip=');
    second.send(call(4, 'stop_kd'));
    expect(JSON.stringify(await second.answer(4))).toContain('guest: running');
  });

  it('ends when nobody reads its output any more', async () => {
    const server = serve().send(initialize);
    await server.answer(1);
    server.child.stdout.destroy();
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(await server.exited).toBe(0);
  });

  it('starts and answers although the configuration is wrong', async () => {
    const missing = join(rig.home, 'none.yaml');
    const server = serve({ ...EMPTY, KD_MCP_CONFIG: missing });
    server.send(initialize, call(2, 'start_kd', { scenario: 'idle' }), call(3, 'health_check'));
    expect(JSON.stringify(await server.answer(2))).toMatch(/"isError":true/);
    expect(JSON.stringify(await server.answer(3))).toContain(JSON.stringify(missing).slice(1, -1));
  });
});
