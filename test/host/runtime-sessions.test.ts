/** Sessions and servers that run from the home folder, while the extension that brought them is updated or removed. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Program } from '../../src/client/program.ts';
import { liveRecord } from '../../src/host/records.ts';
import { buildProgram, installExtension, Window } from './extension-folder.ts';
import { AGENT, createRig, endedRecord, gone, PERSON, type Rig } from './rig.ts';

let builds: string;
let rig: Rig;
let extensions: string;
const windows: Window[] = [];
const clients: Client[] = [];
beforeAll(async () => {
  builds = mkdtempSync(join(tmpdir(), 'kdx-'));
  await Promise.all([buildProgram(join(builds, 'old'), 0), buildProgram(join(builds, 'new'))]);
}, 60_000);
afterAll(() => rmSync(builds, { recursive: true, force: true }));
beforeEach(async () => {
  rig = await createRig();
  extensions = mkdtempSync(join(tmpdir(), 'kde-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const window of windows.splice(0)) await window.close();
  await rig.dispose();
  rmSync(extensions, { recursive: true, force: true });
});

async function install(build: string, version: string): Promise<{ dist: string; edition: string }> {
  const dist = join(extensions, `kd-mcp-${version}`, 'dist');
  return { dist, edition: await installExtension(dist, join(builds, build), version) };
}

function open(dist: string): Window {
  const window = new Window(dist, rig.home);
  windows.push(window);
  return window;
}

async function close(window: Window): Promise<void> {
  windows.splice(windows.indexOf(window), 1);
  await window.close();
}

/** A server as another client starts it by what was copied into its configuration. */
async function serve({
  command,
  script,
}: Program): Promise<(name: string, args?: object) => Promise<string>> {
  const client = new Client({ name: 'codex', version: '1' });
  clients.push(client);
  const args = [script, 'serve', '--home', rig.home];
  await client.connect(new StdioClientTransport({ command, args, env: {}, stderr: 'inherit' }));
  return async (name, input = {}) => JSON.stringify(await client.callTool({ name, arguments: { ...input } }));
}

const users = (edition: string): readonly string[] =>
  readdirSync(join(rig.home, 'runtime', edition, 'users'));
const copies = (): readonly string[] => readdirSync(join(rig.home, 'runtime')).sort();

test('an extension folder that is deleted in mid-session takes neither the session nor other clients along', async () => {
  const { dist, edition } = await install('new', '0.1.0');
  const window = open(dist);
  const [program, copied] = [await window.program(), await window.lasting()];
  const { session } = await rig.sessions(PERSON, { program }).start(rig.guest.start());
  expect(users(edition)).toContain(String(session.info.hostPid));

  rmSync(dirname(dist), { recursive: true });
  expect((await session.breakIn(20_000)).info.status.state).toBe('broken');
  const call = await serve(copied);
  expect(await call('kd_command', { command: 'r' })).toContain('rip=');
  expect(await call('continue_go', { wait_sec: 0 })).toContain('running');
  // Also a server of the window itself, and a host that is started only now.
  const own = await serve(await window.program());
  expect(await own('start_kd', { transport: 'simulator', scenario: 'idle' })).toContain('sim-1 · ');
  expect(users(edition)).toContain(String(liveRecord(rig.home, 'sim-1')?.hostPid));
  expect(await own('stop_kd', { session_id: 'sim-1' })).toContain('guest: running');
});

test('an update leaves a session of the old version its program until it ends, and old configurations start the new one', async () => {
  const old = await install('old', '0.1.0');
  const first = open(old.dist);
  const [program, copied] = [await first.program(), await first.lasting()];
  const { session } = await rig.sessions(PERSON, { program }).start(rig.guest.start());
  const { hostPid } = session.info;
  const idle = await serve(copied);
  await close(first);
  rmSync(dirname(old.dist), { recursive: true });

  const { dist, edition } = await install('new', '0.2.0');
  const window = open(dist);
  const newer = await window.program();
  await window.tidy();
  expect(copies()).toEqual([old.edition, edition]);
  expect(newer.script).toBe(join(rig.home, 'runtime', edition, 'cli.js'));
  // A server that an agent has started before the update works on, too.
  expect(await idle('list_sessions')).toContain(session.id);

  const before = users(edition).length;
  expect(await window.lasting()).toEqual(copied);
  const call = await serve(copied);
  expect(users(edition)).toHaveLength(before + 1);
  expect(await call('break_in')).toContain(`${session.id} · broken`);
  expect(rig.guest.state()).toBe('frozen');
  expect(await call('read_output')).toContain('Break instruction exception');
  expect(await call('kd_command', { command: 'r' })).toContain('older version of KD-MCP');
  expect(await call('continue_go', { wait_sec: 0 })).toContain('running');
  await window.tidy();
  expect(copies()).toEqual([old.edition, edition]);

  expect(await call('stop_kd')).toContain('guest: running');
  expect((await endedRecord(rig.sessions(AGENT), session.id)).ended?.guest).toBe('running');
  await gone(hostPid);
  await window.tidy();
  // The server of before the update is still there.
  expect(copies()).toEqual([old.edition, edition]);
  for (const client of clients.splice(0)) await client.close();
  await expect
    .poll(async () => {
      await window.tidy();
      return copies();
    })
    .toEqual([edition]);
  expect(existsSync(copied.command) && existsSync(copied.script)).toBe(true);
  const later = await serve(copied);
  expect(await later('list_sessions')).toContain(session.id);
});
