import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, test } from './runner.ts';
import { stateItem, statusText, terminal, terminalText, thePage, toggleItem, treeText } from './screen.ts';

/** Waits until a text on the screen matches; a failure shows the text. */
async function reads(look: () => Promise<string>, pattern: RegExp): Promise<void> {
  await eventually(String(pattern), async () => {
    assert.match(await look(), pattern);
    return true;
  });
}

test('a simulated session starts, shows in the tree and opens its terminal', async () => {
  assert.equal(await vscode.commands.executeCommand('kdMcp.startSimulated'), 'sim-1');
  await vscode.commands.executeCommand('kdMcp.sessions.focus');
  await eventually('the terminal', () => vscode.window.activeTerminal?.name === 'KD sim-1');
  const seen = thePage();
  await reads(treeText, /^sim-1/);
  await reads(terminalText, /Connected to target/);
  await seen.picture('started');
});

test('a target that is broken into is halted in the tree, in the status bar and in the terminal', async () => {
  await vscode.commands.executeCommand('kdMcp.breakIn');
  const seen = thePage();
  await reads(() => statusText(stateItem), /sim-1 halted \d+ s/);
  await reads(() => statusText(toggleItem), /Go/);
  await reads(treeText, /^sim-1 ?halted/);
  await reads(terminalText, /\d: kd>$/);
  await seen.picture('halted');
});

test('what a person types in the terminal is run by kd', async () => {
  const seen = thePage();
  await seen.click(terminal);
  await seen.type('r rax\r');
  await reads(terminalText, /kd> r rax\nrax=[0-9a-f]{16}\n\d: kd>$/);
  await seen.picture('typed');
});

test('a click on the toggle lets the target run', async () => {
  const seen = thePage();
  await seen.click(toggleItem);
  await reads(() => statusText(stateItem), /sim-1 running/);
  await reads(() => statusText(toggleItem), /Break/);
});

test('Ctrl+C in the terminal breaks in', async () => {
  const seen = thePage();
  await seen.click(terminal);
  await seen.press('Control+C');
  await reads(() => statusText(stateItem), /sim-1 halted/);
});

test('a click on the state item offers what can be done now', async () => {
  const seen = thePage();
  await seen.click(stateItem);
  const offers = async () => (await seen.texts('.quick-input-list .monaco-list-row')).join('\n');
  await reads(offers, /Go[\s\S]*Resume for WinRM[\s\S]*Stop Session/);
  assert.doesNotMatch(await offers(), /Break/);
  await seen.picture('actions');
  await seen.press('Escape');
});
