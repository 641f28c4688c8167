import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { page } from './page.ts';
import { eventually, skip, test } from './runner.ts';

const rows = '.pane:has([aria-label*="KD Sessions"]) .monaco-list-row';
const stateItem = '#kd-mcp\\.kd-mcp\\.kdMcp\\.state';
const toggleItem = '#kd-mcp\\.kd-mcp\\.kdMcp\\.toggle';

/** The lines of the view, as a person reads them. */
async function treeLines(): Promise<readonly string[]> {
  const seen = page ?? skip('no page');
  return (await seen.texts(rows)).map((text) => text.replace(/\s+/g, ' ').trim());
}

async function statusBar(selector: string): Promise<string> {
  const [text = ''] = await (page ?? skip('no page')).texts(selector);
  return text.replace(/\s+/g, ' ').trim();
}

/** The screen of the active terminal, as text. */
async function terminalText(): Promise<string> {
  await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
  await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
  await vscode.commands.executeCommand('workbench.action.terminal.clearSelection');
  return await vscode.env.clipboard.readText();
}

test('a simulated session starts, shows in the tree and opens its terminal', async () => {
  const seen = page ?? skip('no page');
  const id = await vscode.commands.executeCommand('kdMcp.startSimulated');
  assert.equal(id, 'sim-1');
  await eventually('the session in the tree', async () =>
    (await treeLines()).some((line) => line.startsWith('sim-1')),
  );
  await eventually('its terminal', () => vscode.window.activeTerminal?.name === 'KD sim-1');
  await seen.picture('started');
});

test('a target that is broken into shows as halted in the tree and in the status bar, with its prompt in the terminal', async () => {
  const seen = page ?? skip('no page');
  await vscode.commands.executeCommand('kdMcp.breakIn');
  await eventually('halted in the status bar', async () =>
    /sim-1 halted \d+ s/.test(await statusBar(stateItem)),
  );
  await eventually('Go in the toggle', async () => (await statusBar(toggleItem)).includes('Go'));
  await eventually('halted in the tree', async () =>
    (await treeLines()).some((line) => /^sim-1 halted/.test(line)),
  );
  await eventually('the prompt', async () => /0: kd>\s*$/.test(await terminalText()));
  await seen.picture('halted');
});

test('what a person types in the terminal is run by kd', async () => {
  const seen = page ?? skip('no page');
  await seen.click('.terminal-wrapper.active .xterm-screen');
  await seen.type('vertarget\r');
  await eventually('the answer', async () =>
    /0: kd> vertarget\s[\s\S]*Kernel[\s\S]*0: kd>\s*$/.test(await terminalText()),
  );
  await seen.picture('typed');
});

test('a click on the toggle lets the target run', async () => {
  const seen = page ?? skip('no page');
  await seen.click(toggleItem);
  await eventually('running in the status bar', async () => /sim-1 running/.test(await statusBar(stateItem)));
  await eventually('Break in the toggle', async () => (await statusBar(toggleItem)).includes('Break'));
});

test('Ctrl+C in the terminal breaks in', async () => {
  const seen = page ?? skip('no page');
  await seen.click('.terminal-wrapper.active .xterm-screen');
  await seen.press('Control+C');
  await eventually('halted', async () => /sim-1 halted/.test(await statusBar(stateItem)));
});
