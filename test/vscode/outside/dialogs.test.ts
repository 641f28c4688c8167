/** Questions that a person must answer: before a guest stays frozen, before agents may do more. VS Code refuses dialogs to a suite inside. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, test } from '../suite/runner.ts';
import { sessionsIn, withVsCode } from './stage.ts';
import { Window } from './window.ts';

/** What became of the guests of ended sessions. */
const guests = (home: string): readonly unknown[] =>
  globSync(join(home, 'ended/*.json')).map((path) => JSON.parse(readFileSync(path, 'utf8')).ended?.guest);

test('a guest stays frozen only after a click that says so; a typed q asks', () =>
  withVsCode(async (vscode, context) => {
    const window = await Window.open(context, vscode.address(vscode.workspace));
    await window.run('KD: Start Simulated Session');
    await window.run('KD: Break', 'Break');
    await eventually('the halt', async () => /^sim-1 ?halted/.test(await window.tree()));

    await window.run('KD: Stop Session, Leave Guest Frozen', 'Leave Guest Frozen');
    assert.match(await window.question(), /Stop sim-1 and leave its guest frozen\?/);
    await window.answer('Cancel');
    assert.match(await window.tree(), /^sim-1 ?halted/);

    await window.page.locator('.terminal-wrapper.active .xterm-screen').click();
    await window.page.keyboard.type('q\r');
    assert.match(await window.question(), /Stop sim-1 for everybody\?/);
    await window.answer('Cancel');
    assert.equal(sessionsIn(vscode.home).length, 1);
    await window.page.locator('.terminal-wrapper.active .xterm-screen').click();
    await window.page.keyboard.type('q\r');
    await window.answer('Resume Guest');
    await eventually('its end', async () => /^sim-1 ?ended/.test(await window.tree()));
    assert.deepEqual(guests(vscode.home), ['running']);

    await window.run('KD: Start Simulated Session');
    await window.run('KD: Break', 'Break');
    await eventually('the halt', async () => /^sim-1 ?halted/.test(await window.tree()));
    await window.run('KD: Stop Session, Leave Guest Frozen', 'Leave Guest Frozen');
    await window.answer('Leave Frozen');
    await eventually('its end', async () => guests(vscode.home).includes('frozen'));
  }));

test('agents get a higher level only after a click that says so', () =>
  withVsCode(async (vscode, context) => {
    const window = await Window.open(context, vscode.address(vscode.workspace));
    await window.run('KD: Start Simulated Session');
    await eventually('the level', async () => /Agent Level ?debug/.test(await window.tree()));
    const unrestricted = window.page.locator('.quick-input-list .monaco-list-row:has-text("unrestricted")');
    for (const [answer, level] of [
      ['Cancel', 'debug'],
      ['Allow', 'unrestricted'],
    ] as const) {
      await window.run('KD: Set Agent Level…', 'Set Agent Level');
      await unrestricted.click();
      assert.match(
        await window.question(),
        /Allow agents the level "unrestricted" in sim-1\?[\s\S]*-noshell/,
      );
      await window.answer(answer);
      const shown = new RegExp(`Agent Level ?${level}`);
      await eventually(level, async () => shown.test(await window.tree()));
    }
  }));
