import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { callTool } from './agent.ts';
import { node, run } from './commands.ts';
import { eventually, test } from './runner.ts';
import {
  answerNotification,
  clearNotifications,
  notificationTexts,
  terminalText,
  thePage,
  treeText,
} from './screen.ts';

const SERVER = 'kd-mcp.kd-mcp/KD';

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
  thePage();
  await eventually("the agent's line in the terminal", async () => {
    assert.match(await terminalText(), /kd> \.echo from the agent {2}◂ \S+.*\nfrom the agent\n/);
    return true;
  });
  await eventually('the agent in the tree', async () => {
    assert.match(await treeText(), /agent, \d+ s/);
    return true;
  });
});

test("a terminal that is closed and opened again shows the agent's name and the person's commands as before", async () => {
  const before = vscode.window.activeTerminal;
  before?.dispose();
  await eventually('closed', () => !vscode.window.terminals.includes(before as vscode.Terminal));
  await run('kdMcp.openTerminal', node('sim-1'));
  await eventually('the same lines', async () => {
    assert.match(await terminalText(), /kd> \.echo from the agent {2}◂ \S+.*\nfrom the agent\n/);
    return true;
  });
});

test('an error reaches the model as text that names the next step', async () => {
  const reply = await callTool('kd_command', { session_id: 'no-such', command: 'r' });
  assert.match(reply, /no-such/);
});

test('a session that an agent starts shows its terminal, and the focus stays in the editor', async () => {
  const document = await vscode.workspace.openTextDocument({ content: '' });
  await vscode.window.showTextDocument(document);
  const seen = thePage();
  await seen.click('.editor-instance .view-lines');
  await callTool('start_kd', { transport: 'simulator', scenario: 'breakpoint' });
  await eventually('its terminal', () => vscode.window.activeTerminal?.name === 'KD sim-2');
  await seen.type('still here');
  await eventually('what was typed', () => document.getText() === 'still here');
});

test("an agent's halt that ends soon is told, and a person keeps it with a click", async () => {
  await callTool('break_in', { session_id: 'sim-2' });
  thePage();
  await eventually('the news', async () =>
    (await notificationTexts()).some((text) => /sim-2 resumes in \d+ s/.test(text)),
  );
  await answerNotification('sim-2 resumes', 'Keep Halted');
  await eventually('the pin', async () => (await treeText()).includes('Halt pinned'));
  await clearNotifications();
});

test('a crash is told wherever the person looks, and can be analysed with a click', async () => {
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  await callTool('start_kd', { transport: 'simulator', scenario: 'bugcheck' });
  thePage();
  await run('kdMcp.openTerminal', node('sim-1'));
  await eventually('the news', async () =>
    (await notificationTexts()).some((text) => /sim-3 crashed: Bugcheck 0xD1/.test(text)),
  );
  await answerNotification('sim-3 crashed', 'Analyze');
  await eventually('the analysis', async () => /Last Commands ?!analyze -v/.test(await treeText()));
  await clearNotifications();
});
