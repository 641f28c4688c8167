import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, test } from './runner.ts';
import { thePage } from './screen.ts';

const EXTENSION = 'kd-mcp.kd-mcp';

test('the extension is active and its commands are there', async () => {
  const extension = vscode.extensions.getExtension(EXTENSION);
  assert.ok(extension, 'not installed');
  await extension.activate();
  const commands = await vscode.commands.getCommands(true);
  for (const { command } of extension.packageJSON.contributes.commands)
    assert.ok(commands.includes(command), command);
});

test('without a session the view says how to get one, and the status bar is empty', async () => {
  const seen = thePage();
  await vscode.commands.executeCommand('kdMcp.sessions.focus');
  // Room for the view.
  await seen.click('.pane-header[aria-label^="Run"]');
  await eventually('the welcome text', async () =>
    (await seen.texts('.welcome-view-content')).some((text) => text.includes('No kernel debugging session')),
  );
  assert.deepEqual(await seen.texts('.statusbar-item[id^="kd-mcp"]'), []);
});

test('Copy MCP Configuration asks for the client and leaves its block on the clipboard', async () => {
  const seen = thePage();
  const copied = vscode.commands.executeCommand<string>('kdMcp.copyConfiguration');
  const rows = '.quick-input-list .monaco-list-row';
  await eventually('the clients', async () => (await seen.texts(rows)).length >= 4);
  await seen.click(`${rows}:has-text("Codex")`);
  assert.match(
    await copied,
    /^\[mcp_servers\.kd\]\ncommand = "\/.*"\nargs = \["\/.*cli\.js", "serve", "--home", /,
  );
  await vscode.commands.executeCommand('notifications.clearAll');
});
