import * as vscode from 'vscode';
import { eventually, test } from './runner.ts';
import { thePage } from './screen.ts';

test('a session that is stopped leaves the tree and the status bar', async () => {
  await vscode.commands.executeCommand('kdMcp.stop', { kind: 'session', id: 'sim-1' });
  const seen = thePage();
  await eventually('the welcome text', async () => (await seen.texts('.welcome-view-content')).length > 0);
  await eventually(
    'no item',
    async () => (await seen.texts('[id^="kd-mcp.kd-mcp.kdMcp"]')).join('').trim() === '',
  );
  await seen.picture('stopped');
});
