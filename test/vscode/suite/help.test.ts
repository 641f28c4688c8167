/** What helps with the first steps: doctor and walkthrough. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { run } from './commands.ts';
import { eventually, test } from './runner.ts';
import { thePage } from './screen.ts';

const pages = (): readonly vscode.Tab[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(({ label }) => label.includes('KD Doctor')));

test('the doctor shows what it found on a page', async () => {
  thePage();
  await run('kdMcp.doctor');
  await eventually('the page', () => pages().length > 0);
  const report = await vscode.workspace.openTextDocument(
    vscode.Uri.from({ scheme: 'kd-doctor', path: '/KD Doctor.md' }),
  );
  assert.match(report.getText(), /Everything that a session needs is there/);
  assert.match(report.getText(), /^\* OK · kd\.exe: .*kd/m);
  assert.match(report.getText(), /^\* \*\*Warning · State file\*\*<br>There is no state file/m);
  await vscode.window.tabGroups.close(pages());
});

test('the walkthrough has four steps, and ends in a simulated session', async () => {
  const seen = thePage();
  await vscode.commands.executeCommand('workbench.action.closePanel');
  await run('kdMcp.openWalkthrough');
  const steps = '.getting-started-step';
  await eventually('the steps', async () => (await seen.texts(steps)).length === 4);
  assert.match((await seen.texts(steps)).join('\n'), /Find the debugger[\s\S]*Try it now, without Windows/);
  await seen.click('.getting-started-step.expanded .monaco-button:has-text("Run Doctor")');
  await eventually('the page', () => pages().length > 0);
  await vscode.window.tabGroups.close(pages());
  const done = '.getting-started-step .codicon.complete';
  await eventually('the first is done', async () => (await seen.texts(done)).length === 1);
  await seen.click(`${steps}:has-text("Try it now")`);
  const button = '.getting-started-step.expanded .monaco-button:has-text("Start Simulated Session")';
  await eventually('its button', async () => (await seen.texts(button)).length === 1);
  await seen.click(button);
  await eventually('the session', () => vscode.window.activeTerminal?.name === 'KD sim-1');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
});
