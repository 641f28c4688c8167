/** WinDbg beside a session, and WinDbg as the owner of a target that a session joins. A script stands in for it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sessions } from '../../src/client/sessions.ts';
import { defaultConfig } from '../../src/config/load.ts';
import { callTool } from '../../src/tools/call.ts';
import {
  CLI,
  createRig,
  endedRecord,
  isAlive,
  KEY,
  kill,
  PERSON,
  type Rig,
  SIMULATOR,
  until,
  whenInfo,
} from './rig.ts';

/** Keeps its simulated kd's stdin open, as a window would, and tells how it was started. */
const WINDBG = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
const guest = args.includes('-remote') ? [] : ['--guest', import.meta.dirname + '/windbg-guest.json'];
const kd = spawn(process.execPath, [${JSON.stringify(SIMULATOR)}, ...guest, ...args], { stdio: ['pipe', 'ignore', 'ignore'] });
writeFileSync(import.meta.dirname + '/windbg.json', JSON.stringify({ args, pids: [process.pid, kd.pid] }));
`;

let rig: Rig;
let script: string;
beforeEach(async () => {
  rig = await createRig();
  script = join(rig.home, 'windbg.mjs');
  writeFileSync(script, WINDBG);
  writeFileSync(join(rig.home, 'config.yaml'), `kd:\n  windbg_exe: ${JSON.stringify(script)}\n`);
});
afterEach(async () => {
  if (existsSync(join(rig.home, 'windbg.json'))) for (const pid of windbg().pids) kill(pid);
  await rig.dispose();
});

function windbg(): { readonly args: readonly string[]; readonly pids: readonly number[] } {
  return JSON.parse(readFileSync(join(rig.home, 'windbg.json'), 'utf8'));
}

/** What the guest of the WinDbg does. */
function guestState(): string {
  return String(JSON.parse(readFileSync(join(rig.home, 'windbg-guest.json'), 'utf8')).state);
}

function kdMcp(...args: readonly string[]): { readonly stdout: string; readonly stderr: string } {
  const env = { ...process.env, KD_MCP_CONFIG: join(rig.home, 'config.yaml') };
  return spawnSync(process.execPath, [CLI, ...args, '--home', rig.home], { env, encoding: 'utf8' });
}

function agent(): Sessions {
  return rig.sessions(undefined, { findDebugger: async () => [process.execPath, SIMULATOR] });
}

async function tool(sessions: Sessions, name: string, args: Record<string, unknown>): Promise<string> {
  const defaults = defaultConfig();
  const config = { ...defaults, kd: { ...defaults.kd, windbg_exe: script } };
  const { text } = await callTool(name, args, {
    context: async () => ({ sessions, config }),
    signal: new AbortController().signal,
    progress: () => {},
    log: () => {},
  });
  return text;
}

test('kd-mcp share opens WinDbg on the session, detached, and unshare closes it to others', async () => {
  const { session } = await rig.sessions(PERSON).start(rig.guest.start());
  await session.breakIn(20_000);
  await session.go(0);
  expect(kdMcp('share', session.id).stderr).toContain('kd takes commands only from a halted target');
  expect(kdMcp('share', session.id, '--break').stdout).toContain(`WinDbg opens on ${session.id}`);
  await whenInfo(session, ({ sharing }) => sharing?.attached.length === 1);
  const { args, pids } = windbg();
  expect(args).toEqual([
    '-remote',
    expect.stringMatching(/^npipe:server=\.,pipe=kd-mcp-[0-9a-f]{16},password=\w{12}$/),
  ]);
  // It is open already, so nothing is typed and nobody is halted.
  expect(kdMcp('share', session.id, '--no-open').stdout).toBe(`-remote ${args[1]}\n`);
  expect(kdMcp('sessions').stdout).toMatch(/ · open to other debuggers \(by .+\) · attached: \S+\\/);
  await session.breakIn(20_000);
  expect(kdMcp('unshare', session.id).stdout).toMatch(
    /takes no other debugger any more[\s\S]*Still connected.*\\/,
  );
  await session.stop('resume');
  expect(isAlive(pids[0] ?? 0)).toBe(true);
});

test('start_kd(debugger="windbg") makes WinDbg the owner, joins it, and never ends it', async () => {
  const sessions = agent();
  const started = await tool(sessions, 'start_kd', { debugger: 'windbg', port: rig.guest.port, key: KEY });
  expect(started).toMatch(/^remote-\S+ · (running|broken)/);
  const { args, pids } = windbg();
  expect(args[0]).toBe('-server');
  const password = /^npipe:pipe=kd-mcp-[0-9a-f]{16},password=(\w{12})$/.exec(args[1] ?? '')?.[1] ?? '?';
  expect(args.slice(2)).toEqual(['-c', '.noshell', '-k', `net:port=${rig.guest.port},key=${KEY}`]);
  expect(started).not.toContain(password);

  const id = started.split(' ')[0] ?? '';
  expect(await tool(sessions, 'break_in', { session_id: id })).toContain('broken');
  expect(guestState()).toBe('frozen');
  expect(await tool(sessions, 'kd_command', { session_id: id, command: '.echo in its window' })).toContain(
    'in its window',
  );
  expect(await tool(sessions, 'stop_kd', { session_id: id })).toContain('left the remote session');
  await until('the agent’s halt is taken along', () => guestState() === 'running');
  expect(pids.map(isAlive)).toEqual([true, true]);
  const record = await endedRecord(sessions, id);
  expect(JSON.stringify(record)).not.toContain(password);
  expect(record.ended?.how).toBe('stopped');
});

test('start_kd(debugger="windbg") does not take a target that a session has', async () => {
  const sessions = agent();
  await sessions.start(rig.guest.start());
  expect(await tool(sessions, 'start_kd', { debugger: 'windbg', port: rig.guest.port, key: KEY })).toMatch(
    /has this target, and only one debugger can[\s\S]*kd-mcp share net-/,
  );
  expect(existsSync(join(rig.home, 'windbg.json'))).toBe(false);
});
