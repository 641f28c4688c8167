import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { node, run } from './commands.ts';
import { eventually, test } from './runner.ts';
import { thePage, treeText } from './screen.ts';

test('a session that is stopped leaves the status bar, and stays in the tree with the reason until dismissed', async () => {
  for (const id of ['sim-1', 'sim-2', 'sim-3']) {
    await run('kdMcp.stop', node(id));
  }
  const seen = thePage();
  await eventually('the ended sessions', async () => {
    assert.match(await treeText(), /^sim-\d ?ended · .+\nsim-\d ?ended · .+\nsim-\d ?ended · .+/);
    return true;
  });
  await eventually(
    'no item',
    async () => (await seen.texts('[id^="kd-mcp.kd-mcp.kdMcp"]')).join('').trim() === '',
  );
  await seen.hover('.pane:has([aria-label*="KD Sessions"]) .monaco-list-row:has-text("sim-1")');
  await seen.click(
    '.pane:has([aria-label*="KD Sessions"]) .monaco-list-row:has-text("sim-1") .codicon-close',
  );
  await eventually('one less', async () => !(await treeText()).includes('sim-1'));
  await run('kdMcp.dismissAll');
  await eventually(
    'no terminal of an ended session',
    () => !vscode.window.terminals.some(({ name }) => /^KD sim-/.test(name)),
  );
  await eventually('the welcome text', async () => (await seen.texts('.welcome-view-content')).length > 0);
});
