/** What the Python server's debugger-server tools did is still done: one test per row of the README's table. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeSession } from './fake-sessions.ts';
import { ToolCaller } from './tool-caller.ts';

let tools: ToolCaller;
beforeEach(() => {
  tools = new ToolCaller();
});

const KEY = '1.2.3.4';

/** Old tool → what is done instead, and what must come of it. */
const ROWS: Readonly<Record<string, () => Promise<void>>> = {
  start_kd_server: async () => {
    // Two clients, one kd: the second start joins.
    const args = { port: 50000, key: KEY };
    expect(await tools.ok('start_kd', args)).toContain('started session net-50000');
    expect(await tools.ok('start_kd', args)).toContain('joined the session that already runs');
  },
  start_kd_server_from_state: async () => {
    expect(await tools.error('start_from_state', { state_file: '/nowhere/kd.json' })).toContain(
      'configure_kdnet',
    );
  },
  kd_server_status: async () => {
    tools.sessions.add(new FakeSession('net-50000', 'running'));
    expect(await tools.ok('list_sessions')).toMatch(/^1 session\n.*net-50000 · running/);
  },
  stop_kd_server: async () => {
    tools.sessions.add(new FakeSession('net-50000', 'running'));
    expect(await tools.ok('stop_kd')).toContain('net-50000 · ended');
  },
  kd_server_command: async () => {
    tools.sessions.add(new FakeSession('net-50000'));
    expect(await tools.ok('kd_command', { command: 'r rip' })).toContain('output of r rip');
  },
  kd_server_script: async () => {
    const session = tools.sessions.add(new FakeSession('net-50000'));
    await tools.ok('kd_command', { command: '.reload\nlm\nk' });
    expect(session.sent).toEqual(['.reload', 'lm', 'k']);
  },
  read_kd_server_log: async () => {
    const session = tools.sessions.add(new FakeSession('net-50000'));
    session.print('what kd printed\n');
    expect(await tools.ok('read_output')).toContain('what kd printed');
  },
  open_remote_client: async () => {
    expect(
      await tools.ok('start_kd', { transport: 'remote', remote: 'npipe:server=.,pipe=x,password=y' }),
    ).toContain('started session');
    expect(tools.sessions.started[0]?.connection.transport).toBe('remote');
  },
  break_remote_client: async () => {
    const session = tools.sessions.add(new FakeSession('net-50000', 'running'));
    expect(await tools.ok('break_in')).toContain('broken');
    expect(session.sent).toEqual(['break']);
  },
  list_kd_processes: async () => {
    const session = tools.sessions.add(new FakeSession('net-50000', 'running'));
    session.update({ kdPid: 4712 });
    expect(await tools.ok('list_sessions')).toContain('kd process 4712');
  },
};

describe('a tool of the Python server', () => {
  for (const [name, row] of Object.entries(ROWS)) it(`${name} has its way here`, row);

  it('is in the README’s table, each of them', () => {
    const readme = readFileSync('README.md', 'utf8');
    for (const name of Object.keys(ROWS)) expect(readme).toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'));
  });
});
