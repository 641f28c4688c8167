import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { CLI, createRig, type Rig } from '../host/rig.ts';

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

/** `kd-mcp serve` as a client starts it, down to the bytes. */
class Serve {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(env?: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [CLI, 'serve', '--home', rig.home], env ? { env } : {});
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
    running.push(this);
  }

  send(...messages: readonly unknown[]): this {
    for (const message of messages) {
      this.child.stdin.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`);
    }
    return this;
  }

  /** Everything on stdout, each line parsed. */
  lines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  }

  async answer(id: number): Promise<Record<string, unknown>> {
    await expect.poll(() => this.lines().some((line) => line.id === id), { timeout: 20_000 }).toBe(true);
    return this.lines().find((line) => line.id === id) ?? {};
  }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const call = (id: number, name: string, args: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

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
    const serve = new Serve(EMPTY);
    serve.send(initialize, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, call(3, 'health_check'));
    expect(JSON.stringify(await serve.answer(2))).toContain('kd_command');
    expect(JSON.stringify(await serve.answer(3))).toContain(JSON.stringify(rig.home).slice(1, -1));
  });

  it('writes nothing but JSON-RPC to stdout, whatever it is sent', async () => {
    const serve = new Serve();
    serve.send(
      initialize,
      'this is no JSON',
      '{"jsonrpc":"2.0"}',
      '[]',
      '',
      call(7, 'nosuch'),
      call(8, 'kd_command', 5),
    );
    await serve.answer(7);
    await serve.answer(8);
    for (const line of serve.lines()) expect(line.jsonrpc).toBe('2.0');
  });

  it('ends when its input ends, after it has answered what was asked before', async () => {
    const serve = new Serve();
    serve.send(initialize, call(2, 'list_sessions'));
    serve.child.stdin.end();
    expect(await serve.exited).toBe(0);
    expect(serve.lines().map((line) => line.id)).toEqual([1, 2]);
  });

  it('ends when its input ends in the middle of a wait, and leaves the session alone', async () => {
    const first = new Serve().send(initialize, call(2, 'start_kd', { scenario: 'idle' }));
    expect(JSON.stringify(await first.answer(2))).toContain('sim-1');
    first.send(call(3, 'wait_for_break', { timeout_sec: 45 }), call(4, 'list_sessions'));
    await first.answer(4);
    first.child.stdin.end();
    expect(await first.exited).toBe(0);
    expect(JSON.stringify(await first.answer(3))).toContain('cancelled');

    const second = new Serve().send(initialize, call(2, 'break_in'));
    expect(JSON.stringify(await second.answer(2))).toContain('sim-1 · broken');
    second.send(call(3, 'kd_command', { command: 'r' }));
    expect(JSON.stringify(await second.answer(3))).toContain('rip=');
    second.send(call(4, 'stop_kd'));
    expect(JSON.stringify(await second.answer(4))).toContain('guest: running');
  });

  it('ends when nobody reads its output any more', async () => {
    const serve = new Serve().send(initialize);
    await serve.answer(1);
    serve.child.stdout.destroy();
    serve.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(await serve.exited).toBe(0);
  });

  it('starts and answers although the configuration is wrong', async () => {
    const serve = new Serve({ ...EMPTY, KD_MCP_CONFIG: '/no/such/config.yaml' });
    serve.send(initialize, call(2, 'start_kd', { scenario: 'idle' }), call(3, 'health_check'));
    expect(JSON.stringify(await serve.answer(2))).toMatch(/"isError":true/);
    expect(JSON.stringify(await serve.answer(3))).toContain('/no/such/config.yaml');
  });
});
