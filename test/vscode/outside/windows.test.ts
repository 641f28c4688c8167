/** Windows come, reload, crash and go; sessions stay what they are. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { eventually, onThisMachine, test } from '../suite/runner.ts';
import { activatedAt, sessionsIn, withVsCode } from './stage.ts';
import { Window } from './window.ts';

/** From the activation of the extension to a session in the tree, ms. */
const FOUND_WITHIN = 2000;

test('a window that is reloaded in mid-session finds it again within 2 s, and nothing is started twice', () =>
  withVsCode(async (vscode, context) => {
    const window = await Window.open(context, vscode.address(vscode.workspace));
    await window.run('KD: Start Simulated Session');
    await eventually('the session', async () => /^sim-1/.test(await window.tree()));
    await window.run('KD: Break', 'Break');
    await eventually('the halt', async () => /^sim-1 ?halted/.test(await window.tree()));
    const before = sessionsIn(vscode.home);
    await window.reload();
    await eventually('the session again', async () => /^sim-1 ?halted/.test(await window.tree()), 40_000);
    const took = Date.now() - activatedAt(vscode);
    assert.ok(took < onThisMachine(FOUND_WITHIN), `${took} ms`);
    await eventually('the status bar', async () => (await window.status()).includes('sim-1 halted'));
    assert.deepEqual(sessionsIn(vscode.home), before);
    // The terminal went with the window, its text did not.
    await window.run('KD: Open Terminal', 'Open Terminal');
    await eventually('the transcript', async () => /\d: kd>$/.test(await window.terminal()));
  }));

test('an extension host that is killed is replaced, and its sessions are found again within 2 s', () =>
  withVsCode(async (vscode, context) => {
    const window = await Window.open(context, vscode.address(vscode.workspace));
    await window.run('KD: Start Simulated Session');
    await eventually('the session', async () => /^sim-1/.test(await window.tree()));
    const before = sessionsIn(vscode.home);
    const first = activatedAt(vscode);
    for (const pid of extensionHosts(vscode.folder)) process.kill(pid, 'SIGKILL');
    await eventually('a new extension host', () => activatedAt(vscode) > first, 40_000);
    await eventually('the session again', async () => /^sim-1/.test(await window.tree()));
    const took = Date.now() - activatedAt(vscode);
    assert.ok(took < onThisMachine(FOUND_WITHIN), `${took} ms`);
    assert.deepEqual(sessionsIn(vscode.home), before);
    await window.run('KD: Break', 'Break');
    await eventually('the halt', async () => /^sim-1 ?halted/.test(await window.tree()));
  }));

test('two windows see one session: started once, halted in both, and a window that closes leaves it', () =>
  withVsCode(async (vscode, context) => {
    const other = join(vscode.folder, 'another driver');
    mkdirSync(other);
    const one = await Window.open(context, vscode.address(vscode.workspace));
    const two = await Window.open(context, vscode.address(vscode.workspace));
    const three = await Window.open(context, vscode.address(other));
    await one.run('KD: Start Simulated Session');
    for (const window of [one, two, three])
      await eventually('the session', async () => /^sim-1/.test(await window.tree()));
    await two.run('KD: Break', 'Break');
    for (const window of [one, two, three])
      await eventually('the halt', async () => /^sim-1 ?halted/.test(await window.tree()));
    assert.equal(sessionsIn(vscode.home).length, 1);
    const [before] = sessionsIn(vscode.home);
    await one.close();
    await eventually(
      'two people left',
      async () => (await two.tree()).split('\n').filter(isPerson).length === 2,
    );
    await three.run('KD: Go', 'Go');
    await eventually('it runs', async () => /^sim-1 ?running/.test(await two.tree()));
    assert.deepEqual(sessionsIn(vscode.home), [before]);
    await two.run('KD: Stop Session (Resume Guest)', 'Stop Session (Resume Guest)');
    for (const window of [two, three])
      await eventually('its end', async () => /^sim-1 ?ended/.test(await window.tree()));
  }));

const isPerson = (row: string): boolean => /\(VS Code\) ?person/.test(row);

/** Extension hosts of the VS Code that lives in `folder`. */
function extensionHosts(folder: string): readonly number[] {
  return globSync('/proc/[0-9]*').flatMap((path) => {
    try {
      const command = readFileSync(join(path, 'cmdline'), 'utf8');
      const ours = readFileSync(join(path, 'environ'), 'utf8').includes(`KD_MCP_TEST_FOLDER=${folder}\0`);
      return ours && command.includes('--type=extensionHost') ? [Number(basename(path))] : [];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}
