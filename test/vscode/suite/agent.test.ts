import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, test } from './runner.ts';

const SERVER = 'kd-mcp.kd-mcp/KD';

/** Calls a tool as an agent in this window does. */
async function callTool(name: string, input: object): Promise<string> {
  const full = vscode.lm.tools.find((tool) => tool.name.endsWith(`_${name}`))?.name;
  assert.ok(full, `no tool ${name} among ${vscode.lm.tools.map((tool) => tool.name).join(', ')}`);
  const result = await vscode.lm.invokeTool(full, { input, toolInvocationToken: undefined });
  return result.content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
    .join('');
}

test('the MCP server starts from its definition and its tools are there', async () => {
  await vscode.commands.executeCommand('workbench.mcp.startServer', SERVER);
  await eventually(
    'the tools',
    () => vscode.lm.tools.some((tool) => tool.name === 'mcp_kd_list_sessions'),
    30_000,
  );
  const names = vscode.lm.tools.filter((tool) => tool.name.startsWith('mcp_kd_')).map((tool) => tool.name);
  assert.ok(names.includes('mcp_kd_kd_command'), names.join(', '));
});

test('an agent sees the session that the person started, and runs a command in it', async () => {
  assert.match(await callTool('list_sessions', {}), /sim-1/);
  const reply = await callTool('kd_command', { session_id: 'sim-1', command: '.echo from the agent' });
  assert.match(reply, /from the agent/);
});
