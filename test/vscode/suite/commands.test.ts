/** Commands that no other test runs, and when the palette offers which. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { neverRun, node, ran, run } from './commands.ts';
import { eventually, test } from './runner.ts';
import {
  answerNotification,
  notificationTexts,
  paletteOffers,
  pick,
  pickerRows,
  stateItem,
  statusText,
  terminalText,
  thePage,
  treeText,
} from './screen.ts';

/** The walkthrough's test has started it. */
const halted = () => eventually('halted', async () => (await statusText(stateItem)).includes('sim-1 halted'));
const running = () =>
  eventually('running', async () => (await statusText(stateItem)).includes('sim-1 running'));

test('the toggle halts the session of the terminal in front, and lets it run again', async () => {
  thePage();
  await run('kdMcp.stop', node('net-50151'));
  await run('kdMcp.openTerminal', node('sim-1'));
  await eventually('it is the current one', async () => (await statusText(stateItem)).includes('sim-1'));
  await run('kdMcp.toggle');
  await halted();
  await run('kdMcp.toggle');
  await running();
});

test('the palette offers what can be done now', async () => {
  thePage();
  const offered = async () => {
    const titles = [
      'Break',
      'Go',
      'Run Command…',
      'Pin Halt',
      'Unpin Halt',
      'Release Control',
      'Open Terminal',
    ];
    const found: string[] = [];
    for (const title of titles) if (await paletteOffers(title)) found.push(title);
    return found;
  };
  assert.deepEqual(await offered(), ['Break', 'Open Terminal']);
  await run('kdMcp.breakIn');
  await halted();
  assert.deepEqual(await offered(), ['Go', 'Run Command…', 'Pin Halt', 'Open Terminal']);
  await run('kdMcp.pin', node('sim-1'));
  await run('kdMcp.takeControl', node('sim-1'));
  await eventually('pinned and controlled', async () => /pinned[\s\S]*in control/.test(await treeText()));
  assert.deepEqual(await offered(), ['Go', 'Run Command…', 'Unpin Halt', 'Release Control', 'Open Terminal']);
  await run('kdMcp.unpin', node('sim-1'));
  await run('kdMcp.releaseControl', node('sim-1'));
  assert.equal(await paletteOffers('Copy Session ID'), false);
});

test('Run Command… sends the typed line, shows it in the terminal and offers it the next time', async () => {
  const seen = thePage();
  await vscode.commands.executeCommand('workbench.action.togglePanel');
  const first = run('kdMcp.runCommand');
  await eventually('the box', async () => (await seen.texts('.quick-input-title')).join().includes('sim-1'));
  await seen.type('r rdx');
  await eventually('the typed line', async () => (await pickerRows())[0] === 'r rdx');
  await seen.press('Enter');
  await first;
  await eventually('its output', async () => /kd> r rdx\nrdx=[0-9a-f]+\n\d: kd>$/.test(await terminalText()));
  const second = run('kdMcp.runCommand');
  await pick('r rdx');
  await second;
  await eventually('again', async () => ((await terminalText()).match(/kd> r rdx\n/g) ?? []).length === 2);
});

test('Open in WinDbg opens kd to it, and without a WinDbg its command line is copied with a click', async () => {
  thePage();
  const opened = run('kdMcp.openInWinDbg', node('sim-1'));
  await eventually('the offer', async () =>
    (await notificationTexts()).some((text) => text.includes('WinDbg was not found')),
  );
  await answerNotification('WinDbg was not found', 'Copy Command Line');
  await opened;
  assert.match(await vscode.env.clipboard.readText(), /^windbg -remote npipe:|^windbg -remote tcp:/);
  await eventually('open', () => paletteOffers('Close to Other Debuggers'));
  await run('kdMcp.unshare', node('sim-1'));
  await eventually('closed', async () => !(await paletteOffers('Close to Other Debuggers')));
});

test('F5 and F6 in the view let the target run and halt it', async () => {
  const seen = thePage();
  await seen.click('.pane:has([aria-label*="KD Sessions"]) .monaco-list-row:has-text("Windows 10")');
  await seen.press('F5');
  await running();
  await seen.press('F6');
  await halted();
});

test('the level of agents is lowered without a question, and the tree shows it', async () => {
  thePage();
  const lowered = run('kdMcp.setLevel', node('sim-1'));
  await pick('inspect');
  await lowered;
  await eventually('the level', async () => /Agent Level ?inspect/.test(await treeText()));
});

test('the transcript opens, the id is copied, the log shows', async () => {
  thePage();
  await run('kdMcp.openTranscript', node('sim-1'));
  assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /kd> r rdx/);
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  await run('kdMcp.copyId', node('sim-1'));
  assert.equal(await vscode.env.clipboard.readText(), 'sim-1');
  await run('kdMcp.refresh');
  await run('kdMcp.showLog');
});

test('no command is left that no test has run', async () => {
  thePage();
  await run('kdMcp.stop', node('sim-1'));
  await run('kdMcp.dismissAll');
  // A click in these tests; VS Code refuses dialogs to a suite inside: outside/dialogs.test.ts answers it.
  for (const command of [
    'kdMcp.go',
    'kdMcp.showActions',
    'kdMcp.rescue',
    'kdMcp.dismiss',
    'kdMcp.stopFrozen',
    'kdMcp.startFromState',
  ])
    ran(command);
  assert.deepEqual(neverRun(), []);
});
