import * as vscode from 'vscode';
import { page } from './page.ts';
import { eventually, skip, test } from './runner.ts';

test('a session that is stopped leaves the tree and the status bar', async () => {
  const seen = page ?? skip('no page');
  await vscode.commands.executeCommand('kdMcp.stop', { kind: 'session', id: 'sim-1' });
  await eventually('the welcome text', async () => (await seen.texts('.welcome-view-content')).length > 0);
  await eventually('no item', async () => (await seen.texts('[id^="kd-mcp.kd-mcp.kdMcp"]')).length === 0);
});
