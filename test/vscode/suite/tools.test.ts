/** Every tool, called as an agent in this window calls it. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { callTool } from './agent.ts';
import { node, run } from './commands.ts';
import { eventually, onThisMachine, skip, test } from './runner.ts';
import { clearNotifications, thePage, treeText } from './screen.ts';

/** In the order of a session; what each answers. */
const CALLS: readonly (readonly [tool: string, input: object, answer: RegExp])[] = [
  ['health_check', {}, /^healthy[\s\S]*kd\.exe/],
  ['start_from_state', { wait_sec: 5 }, /^net-50140 · /],
  ['list_sessions', {}, /net-50140/],
  ['break_in', { session_id: 'net-50140' }, /^net-50140 · broken/],
  ['kd_command', { session_id: 'net-50140', command: 'r rip' }, /rip=[0-9a-f]{16}/],
  ['read_output', { session_id: 'net-50140', tail_chars: 400 }, /kd> r rip/],
  ['continue_go', { session_id: 'net-50140', wait_sec: 0 }, /^net-50140 · running/],
  ['wait_for_break', { session_id: 'net-50140', timeout_sec: 0 }, /^net-50140 · running/],
  ['resume_for_winrm', { session_id: 'net-50140', wait_sec: 0 }, /^net-50140 · running/],
  ['start_kd', { port: 50141, key: '1.2.3.4' }, /^net-50141 · /],
  ['stop_kd', { session_id: 'net-50141' }, /^net-50141 · ended/],
];

const stateFile = (): string =>
  join(process.env.KD_MCP_TEST_FOLDER ?? skip('no folder'), 'state', 'kd-session.json');

for (const [tool, input, answer] of CALLS) {
  test(`an agent calls ${tool}`, async () => {
    // Its kd is the simulator as a program of its own, which only inside.ts sets up.
    thePage();
    if (tool === 'start_from_state') writeState();
    assert.match(await callTool(tool, input), answer);
  });
}

test('those are all the tools that the editor knows of', async () => {
  const known = vscode.lm.tools.flatMap(({ name }) => (name.startsWith('mcp_kd_') ? [name.slice(7)] : []));
  assert.deepEqual(known.sort(), CALLS.map(([tool]) => tool).sort());
});

test('a session that an agent started is in the tree within a second', async () => {
  thePage();
  await run('kdMcp.stop', node('net-50140'));
  await run('kdMcp.dismissAll');
  await callTool('start_kd', { port: 50142, key: '1.2.3.4' });
  const began = Date.now();
  await eventually('the session', async () => /^net-50142/m.test(await treeText()));
  const took = Date.now() - began;
  assert.ok(took < onThisMachine(1000), `${took} ms`);
  await run('kdMcp.stop', node('net-50142'));
  rmSync(stateFile());
  await clearNotifications();
});

function writeState(): void {
  writeFileSync(
    stateFile(),
    JSON.stringify({
      schema: 'winrm-kd-session-v1',
      guest_host: '127.0.0.1',
      host_ip: '127.0.0.1',
      port: 50140,
      key: '1.2.3.4',
    }),
  );
}
