/** What is left when an agent's `serve` goes in the middle of a call, and when another version started the session. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sessions } from '../../src/client/sessions.ts';
import { liveRecords } from '../../src/host/records.ts';
import { callTool } from '../../src/tools/call.ts';
import { DEFAULTS } from '../contract/tool-caller.ts';
import { AGENT, createRig, endedRecord, KEY, kill, PERSON, type Rig, SIMULATOR, until } from './rig.ts';
import { call, initialize, Serve } from './serve-process.ts';

let rig: Rig;
const running: Serve[] = [];
beforeEach(async () => {
  rig = await createRig();
});
afterEach(async () => {
  for (const serve of running.splice(0)) serve.child.kill('SIGKILL');
  await rig.dispose();
});

/** An agent's `serve` whose kd is the simulator, with a guest that outlives it. */
function serve(orphanGraceSec: number): Serve {
  const kd = join(rig.home, 'kd.mjs');
  const guest = JSON.stringify(['--guest', join(rig.home, 'guest.json')]);
  const simulator = JSON.stringify(pathToFileURL(SIMULATOR).href);
  writeFileSync(kd, `process.argv.push(...${guest});\nawait import(${simulator});\n`);
  const config = join(rig.home, 'config.yaml');
  // For .sleep, which stands for a command that takes its time.
  writeFileSync(
    config,
    `kd:\n  kd_exe: ${JSON.stringify(kd)}\n  orphan_grace_sec: ${orphanGraceSec}\nsecurity:\n  level: unrestricted\n`,
  );
  const started = new Serve(['--home', rig.home, '--config', config]);
  running.push(started);
  return started.send(initialize);
}

const textOf = (answer: Record<string, unknown>): string => JSON.stringify(answer);
const state = (): string | undefined => liveRecords(rig.home)[0]?.state;

/** A guest that this `serve` has halted, in a command that still runs. */
async function inTheMiddle(agent: Serve, commands: string): Promise<void> {
  agent.send(call(2, 'start_kd', { port: rig.guest.port, key: KEY }));
  expect(textOf(await agent.answer(2))).toContain(`net-${rig.guest.port}`);
  agent.send(call(3, 'break_in'));
  expect(textOf(await agent.answer(3))).toContain('broken');
  agent.send(call(4, 'kd_command', { command: commands, timeout_sec: 45 }));
  await until('the command runs', () => state() === 'busy');
}

describe.each<[string, (agent: Serve) => Promise<void>]>([
  [
    'serve killed in the middle of a call',
    async (agent) => {
      agent.child.kill('SIGKILL');
      await agent.exited;
    },
  ],
  [
    'stdin closed in the middle of a call',
    async (agent) => {
      agent.child.stdin.end();
      expect(await agent.exited).toBe(0);
      // Whoever still reads learns that the command goes on.
      expect(textOf(await agent.answer(4))).toContain('cancelled');
    },
  ],
])('%s', (_what, end) => {
  test('leaves the session: the command goes on, the next agent reads its output and lets the guest run', async () => {
    const agent = serve(60);
    await inTheMiddle(agent, '.sleep 3e8\n.echo after it');
    await end(agent);

    const next = serve(60).send(call(2, 'list_sessions'));
    expect(textOf(await next.answer(2))).toContain('halted by agent raw');
    await until('the unit has run to its end', () => state() === 'broken');
    next.send(call(3, 'read_output'));
    expect(textOf(await next.answer(3))).toContain('after it');
    next.send(call(4, 'continue_go', { wait_sec: 0 }));
    expect(textOf(await next.answer(4))).toContain('running');
    expect(rig.guest.state()).toBe('running');
  });

  test('leaves no frozen guest when nobody comes: it runs again, and the next agent is told why', async () => {
    const agent = serve(1);
    await inTheMiddle(agent, '.sleep 3e8');
    expect(rig.guest.state()).toBe('frozen');
    await end(agent);
    await until('the guest runs', () => rig.guest.state() === 'running');
    const next = serve(1).send(call(2, 'read_output'));
    expect(textOf(await next.answer(2))).toMatch(/· running[\s\S]*Nobody was connected for 1 s/);
  });
});

describe('a session that an older version of the program started', () => {
  let old: string;
  beforeEach(() => {
    old = mkdtempSync(join(tmpdir(), 'kdo-'));
    cpSync(resolve('src'), join(old, 'src'), { recursive: true });
    cpSync(resolve('package.json'), join(old, 'package.json'));
    symlinkSync(resolve('node_modules'), join(old, 'node_modules'), 'junction');
    const protocol = join(old, 'src/host/protocol.ts');
    const source = readFileSync(protocol, 'utf8');
    const older = source.replace(/(export const PROTOCOL = )\d+/, '$10');
    expect(older).not.toBe(source);
    writeFileSync(protocol, older);
  });
  afterEach(() => rmSync(old, { recursive: true, force: true }));

  async function tool(sessions: Sessions, name: string, args = {}): Promise<string> {
    const signal = new AbortController().signal;
    const context = async () => ({ sessions, config: DEFAULTS });
    const { text, isError } = await callTool(name, args, { context, signal });
    return `${isError ? 'ERROR ' : ''}${text}`;
  }

  test('is listed as such, can be halted, read, resumed and ended; a command says what to do', async () => {
    const program = { command: process.execPath, script: join(old, 'src', 'cli.ts') };
    const first = await rig.sessions(PERSON, { program }).start(rig.guest.start());
    const { id } = first.session;
    const sessions = rig.sessions(AGENT);
    expect(await tool(sessions, 'list_sessions')).toMatch(new RegExp(`${id} .*another version of KD-MCP`));
    expect(await tool(sessions, 'break_in')).toContain(`${id} · broken`);
    expect(rig.guest.state()).toBe('frozen');
    expect(await tool(sessions, 'kd_command', { command: 'r' })).toMatch(
      /^ERROR .*older version of KD-MCP.*stop_kd work\. Stop it and start it again\./,
    );
    expect(await tool(sessions, 'read_output')).toContain('Break instruction exception');
    expect(await tool(sessions, 'continue_go', { wait_sec: 0 })).toContain('running');
    expect(rig.guest.state()).toBe('running');
    const again = await tool(sessions, 'start_kd', { port: rig.guest.port, key: KEY });
    expect(again).toMatch(new RegExp(`^${id} · running`));
    expect(await tool(sessions, 'stop_kd')).toContain('guest: running');
    expect((await endedRecord(sessions, id)).ended?.guest).toBe('running');
    expect(await tool(sessions, 'read_output', { session_id: id })).toContain('Break instruction exception');
    expect((await sessions.start(rig.guest.start())).existing).toBe(false);
  });

  test('that judges no commands gets none from an agent, whatever protocol it speaks', async () => {
    const core = join(old, 'src/host/core.ts');
    const source = readFileSync(core, 'utf8');
    const older = source.replace('      level: this.permission.level,\n', '');
    expect(older).not.toBe(source);
    writeFileSync(core, older);
    cpSync(resolve('src/host/protocol.ts'), join(old, 'src/host/protocol.ts'));
    const program = { command: process.execPath, script: join(old, 'src', 'cli.ts') };
    const { session } = await rig.sessions(PERSON, { program }).start(rig.guest.start());
    await session.breakIn(20_000);
    expect((await session.command(['r'], { timeoutMs: 20_000 })).results[0]?.outcome).toBe('done');
    const sessions = rig.sessions(AGENT);
    expect(await tool(sessions, 'kd_command', { command: 'r' })).toMatch(
      /^ERROR .*knows no levels.*Stop it and start it again\./,
    );
    expect(await tool(sessions, 'continue_go', { wait_sec: 0 })).toContain('running');
  });

  test('whose host was killed is moved like any other, and the next call says that it is gone', async () => {
    const program = { command: process.execPath, script: join(old, 'src', 'cli.ts') };
    const sessions = rig.sessions(AGENT);
    const { session } = await rig.sessions(AGENT, { program }).start(rig.guest.start());
    await session.breakIn(20_000);
    await until('the record says broken', () => state() === 'broken');
    kill(session.info.hostPid);
    expect((await endedRecord(sessions, session.id)).ended).toMatchObject({ guest: 'frozen' });
    expect(await tool(sessions, 'kd_command', { command: 'r' })).toMatch(/^ERROR .*No session is running/);
  });
});
