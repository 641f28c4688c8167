import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { node, run } from './commands.ts';
import { eventually, test } from './runner.ts';
import {
  setRow,
  stateItem,
  statusText,
  terminal,
  terminalText,
  thePage,
  toggleItem,
  treeText,
} from './screen.ts';

/** Waits until a text on the screen matches; a failure shows the text. */
async function reads(look: () => Promise<string>, pattern: RegExp): Promise<void> {
  await eventually(String(pattern), async () => {
    assert.match(await look(), pattern);
    return true;
  });
}

test('a simulated session starts, shows in the tree and opens its terminal', async () => {
  assert.equal(await run('kdMcp.startSimulated'), 'sim-1');
  await vscode.commands.executeCommand('kdMcp.sessions.focus');
  await eventually('the terminal', () => vscode.window.activeTerminal?.name === 'KD sim-1');
  thePage();
  await reads(treeText, /^sim-1/);
  await reads(terminalText, /Connected to target/);
});

test('a target that is broken into is halted in the tree, in the status bar and in the terminal', async () => {
  await run('kdMcp.breakIn');
  thePage();
  await reads(() => statusText(stateItem), /sim-1 halted \d+ s/);
  await reads(() => statusText(toggleItem), /Go/);
  await reads(treeText, /^sim-1 ?halted/);
  await reads(terminalText, /\d: kd>$/);
});

test('what a person types in the terminal is run by kd', async () => {
  const seen = thePage();
  await seen.click(terminal);
  await seen.type('r rax\r');
  await reads(terminalText, /kd> r rax\nrax=[0-9a-f]{16}\n\d: kd>$/);
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
  await reads(offers, /Go[\s\S]*Resume for WinRM[\s\S]*Pin Halt[\s\S]*Take Control[\s\S]*Stop Session/);
  assert.doesNotMatch(await offers(), /Break/);
  await seen.press('Escape');
});

test('a breakpoint a person sets is in the tree, and so are the last commands', async () => {
  const seen = thePage();
  await seen.click(terminal);
  await seen.type('bp nt!NtCreateFile\r');
  await reads(treeText, /Breakpoints ?1/);
  await reads(treeText, /Last Commands ?bp nt!NtCreateFile/);
  await setRow('Breakpoints', true);
  await setRow('Last Commands', true);
  await reads(treeText, /0 bp nt!NtCreateFile ?by .*\(VS Code\)/);
  await reads(treeText, /r rax ?.*\(VS Code\), \d+ s ago/);
  await setRow('Breakpoints', false);
  await setRow('Last Commands', false);
});

test('a halt is pinned and control is taken, and both are given back', async () => {
  thePage();
  await run('kdMcp.pin', node('sim-1'));
  await run('kdMcp.takeControl', node('sim-1'));
  await reads(treeText, /Halt pinned ?by .*\(VS Code\)/);
  await reads(treeText, /\(VS Code\) ?in control/);
  await run('kdMcp.unpin', node('sim-1'));
  await run('kdMcp.releaseControl', node('sim-1'));
  await eventually('neither', async () => !/pinned|in control/.test(await treeText()));
});

test('a halt that lasts is shown in warning colour', async () => {
  const settings = vscode.workspace.getConfiguration('kdMcp');
  await settings.update('haltWarningSec', 1, vscode.ConfigurationTarget.Global);
  const seen = thePage();
  await eventually('the warning', async () =>
    (await seen.attribute(stateItem, 'class'))?.includes('warning-kind'),
  );
  await settings.update('haltWarningSec', undefined, vscode.ConfigurationTarget.Global);
  await eventually(
    'no warning',
    async () => !(await seen.attribute(stateItem, 'class'))?.includes('warning-kind'),
  );
});

test('several pasted lines wait for Enter, without a dialog', async () => {
  const seen = thePage();
  await seen.click(terminal);
  await vscode.env.clipboard.writeText('r rbx\nr rcx\n');
  await vscode.commands.executeCommand('workbench.action.terminal.paste');
  await reads(terminalText, /2 lines pasted\. Enter runs them/);
  await seen.press('Enter');
  await reads(terminalText, /kd> r rbx\nrbx=[0-9a-f]+\n\d: kd> r rcx\nrcx=[0-9a-f]+\n\d: kd>$/);
});

test('a command that kd refuses is in the colour of an error', async () => {
  const seen = thePage();
  await seen.type('foo bar\r');
  await reads(terminalText, /resolve error at 'oo bar'/);
  // A colour of too little contrast is replaced by one of its own.
  const coloured = '.terminal-wrapper.active .xterm-rows :is(.xterm-fg-1, [style*="color"])';
  await eventually('red', async () => (await seen.texts(coloured)).some((text) => text.includes('resolve')));
});
