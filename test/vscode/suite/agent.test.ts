import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, test } from './runner.ts';
import { terminalText, thePage, treeText } from './screen.ts';

const SERVER = 'kd-mcp.kd-mcp/KD';

/** Calls a tool as an agent in this window does. */
async function callTool(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(`mcp_kd_${name}`, { input, toolInvocationToken: undefined });
  return result.content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
    .join('');
}

test('the MCP server starts from its definition and its tools are there', async () => {
  await vscode.commands.executeCommand('workbench.mcp.startServer', SERVER);
  const tools = await eventually(
    'the tools',
    () => {
      const names = vscode.lm.tools.map((tool) => tool.name).filter((name) => name.startsWith('mcp_kd_'));
      return names.length > 0 ? names : undefined;
    },
    30_000,
  );
  for (const name of ['list_sessions', 'kd_command', 'break_in', 'continue_go', 'resume_for_winrm']) {
    assert.ok(tools.includes(`mcp_kd_${name}`), tools.join(', '));
  }
});

test('an agent sees the session that the person started', async () => {
  assert.match(await callTool('list_sessions', {}), /sim-1/);
});

test("an agent's command runs, and the person sees it with the agent's name", async () => {
  const reply = await callTool('kd_command', { session_id: 'sim-1', command: '.echo from the agent' });
  assert.match(reply, /from the agent/);
  const seen = thePage();
  await eventually("the agent's line in the terminal", async () => {
    assert.match(await terminalText(), /kd> \.echo from the agent {2}◂ \S+.*\nfrom the agent\n/);
    return true;
  });
  await eventually('the agent in the tree', async () => {
    assert.match(await treeText(), /agent, \d+ s/);
    return true;
  });
  await seen.picture('agent');
});

test('an error reaches the model as text that names the next step', async () => {
  const reply = await callTool('kd_command', { session_id: 'no-such', command: 'r' });
  assert.match(reply, /no-such/);
});
