/** The main job as an agent does it, through `serve`, down to a kd that is a process: state file to WinRM and back. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveRecords } from '../../src/host/records.ts';
import { STATE_SCHEMA } from '../../src/state-file/schema.ts';
import { CLI, createRig, gone, KEY, kill, type Rig, SIMULATOR, until } from '../host/rig.ts';

let rig: Rig;
let client: Client;
let stateFile: string;
let winrmPort: number;

beforeEach(async () => {
  rig = await createRig();
  winrmPort = await freePort();
  // A kd.exe as kd.kd_exe names it: one program that takes kd's arguments.
  const kd = join(rig.home, 'kd.mjs');
  const extra = ['--guest', join(rig.home, 'guest.json'), '--winrm', `127.0.0.1:${winrmPort}`];
  const simulator = JSON.stringify(pathToFileURL(SIMULATOR).href);
  await writeFile(kd, `process.argv.push(...${JSON.stringify(extra)});\nawait import(${simulator});\n`);
  stateFile = join(rig.home, 'kd session (1).json');
  const state = { schema: STATE_SCHEMA, guest_host: `127.0.0.1:${winrmPort}`, host_ip: '127.0.0.1' };
  await writeFile(stateFile, JSON.stringify({ ...state, port: rig.guest.port, key: KEY }));
  const config = join(rig.home, 'config.yaml');
  await writeFile(
    config,
    `kd:\n  kd_exe: ${JSON.stringify(kd)}\n  state_file: ${JSON.stringify(stateFile)}\n`,
  );
  client = await connect(config);
});
afterEach(async () => {
  await client.close();
  await rig.dispose();
});

async function connect(config: string): Promise<Client> {
  const agent = new Client({ name: 'agent-x', version: '1' });
  const args = [CLI, 'serve', '--home', rig.home, '--config', config];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  return agent;
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  const text = JSON.stringify(result);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
  expect(text).not.toContain(KEY);
  const [content] = result.content as { text: string }[];
  return `${result.isError === true ? 'ERROR ' : ''}${content?.text ?? ''}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

describe('the main job', () => {
  it('runs from the state file to WinRM and back', async () => {
    const id = `net-${rig.guest.port}`;
    expect(await call('list_sessions')).toContain('no session lives');
    expect(await call('start_from_state')).toMatch(
      new RegExp(`^${id} · (waiting|running)[\\s\\S]*Next: break_in`),
    );
    expect(await call('break_in')).toMatch(new RegExp(`^${id} · broken .*halted by agent agent-x`));
    expect(rig.guest.state()).toBe('frozen');

    const commands = await call('kd_command', { command: 'r\nk\nlm' });
    expect(commands).toMatch(
      /"r" · done[\s\S]*rip=[\s\S]*"k" · done[\s\S]*nt!KiSystemStartup[\s\S]*"lm" · done/,
    );
    const long = await call('kd_command', { command: '!process 0 7' });
    const from = Number(/more: read_output\(session_id="[^"]+", from=(\d+)\)/.exec(long)?.[1] ?? 0);
    expect(await call('read_output', { from })).toMatch(/bytes \d+–\d+ of \d+/);

    const resumed = await call('resume_for_winrm', { wait_sec: 30 });
    expect(resumed).toMatch(/running again; the guest had been frozen for/);
    expect(resumed).toContain(`WinRM answers at 127.0.0.1:${winrmPort}`);
    expect(rig.guest.state()).toBe('running');

    expect(await call('stop_kd', { session_id: id, terminate_target: false })).toContain('guest: running');
    expect(await call('read_output', { session_id: id, grep: 'rip=' })).toContain('rip=');
    expect(await call('kd_command', { session_id: id, command: 'r' })).toMatch(/^ERROR .*has ended/);
  });

  it('frees a guest whose session host was killed, and says so', async () => {
    await call('start_from_state');
    await call('break_in');
    const host = liveRecords(rig.home)[0]?.hostPid ?? 0;
    kill(host);
    await gone(host);
    // A rescue that is not heard in 10 s gives up: on a busy machine it takes most of them.
    await until('the guest runs again', () => rig.guest.state() === 'running', 25_000);
    await until('it is told', async () =>
      (await call('list_sessions')).includes('was frozen and runs again'),
    );
  }, 60_000);
});
