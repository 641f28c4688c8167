import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { run } from './commands.ts';
import { eventually, skip, test } from './runner.ts';
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
  const copied = run<string>('kdMcp.copyConfiguration');
  const rows = '.quick-input-list .monaco-list-row';
  await eventually('the clients', async () => (await seen.texts(rows)).length >= 4);
  await seen.click(`${rows}:has-text("Codex")`);
  assert.match(
    await copied,
    /^\[mcp_servers\.kd\]\ncommand = "\/.*"\nargs = \["\/.*cli\.js", "serve", "--home", /,
  );
  await vscode.commands.executeCommand('notifications.clearAll');
});

test('a copied configuration names a program and a script that are there, of the home folder where the package brings its own Node', async () => {
  const text = await run<string>('kdMcp.copyConfiguration', 'cursor');
  const { command, args }: { command: string; args: string[] } = JSON.parse(text).mcpServers.kd;
  const [script = ''] = args;
  assert.ok(existsSync(command) && existsSync(script), text);
  const { extensionPath } = vscode.extensions.getExtension(EXTENSION) ?? { extensionPath: '' };
  if (!existsSync(join(extensionPath, 'dist/runtime.json'))) return;
  const bin = join(process.env.KD_MCP_HOME ?? skip('no home'), 'bin');
  assert.deepEqual([dirname(command), dirname(script)], [bin, bin]);
});
