/** A folder that nobody trusts: sessions can be watched, what the folder says is not followed. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VsCode } from '../code-server.ts';
import { eventually, test } from '../suite/runner.ts';
import { withVsCode } from './stage.ts';
import { Window } from './window.ts';

const UNTRUSTED = {
  settings: {
    'security.workspace.trust.enabled': true,
    'security.workspace.trust.startupPrompt': 'never',
  },
};

test('in Restricted Mode the view says what that means, and programs that the folder names are not run', () =>
  withVsCode(async (vscode, context) => {
    const trap = join(vscode.folder, 'trap');
    const sprung = join(vscode.folder, 'sprung');
    writeFileSync(trap, `#!/bin/sh\ntouch "${sprung}"\n`, { mode: 0o755 });
    mkdirSync(join(vscode.workspace, '.vscode'));
    const hostile = { 'kdMcp.kdExe': trap, 'kdMcp.home': vscode.workspace, 'kdMcp.autoConnect': 'always' };
    writeFileSync(join(vscode.workspace, '.vscode/settings.json'), JSON.stringify(hostile));
    mkdirSync(join(vscode.folder, 'state'));
    writeState(vscode, 50177);
    const window = await Window.open(context, vscode.address(vscode.workspace));
    await window.page.locator('.statusbar:has-text("Restricted Mode")').waitFor();
    await eventually('the reason', async () =>
      (await window.welcome()).includes('only in a trusted workspace'),
    );
    await eventually('the file', async () => (await window.welcome()).includes('state file is ready'));
    writeState(vscode, 50178);
    // An offer, not a connection: `autoConnect` of the folder does not count.
    await eventually('the offer', async () =>
      (await window.notifications()).some((text) => text.includes('50178')),
    );
    assert.equal(await window.tree(), '');
    await window.run('KD: Start from State File', 'Start from State File');
    await eventually('the session', async () => /^net-50178/.test(await window.tree()));
    assert.ok(!existsSync(sprung));
    assert.ok(!existsSync(join(vscode.workspace, 'sessions')));
  }, UNTRUSTED));

function writeState({ folder }: VsCode, port: number): void {
  const state = { guest_host: '127.0.0.1', host_ip: '127.0.0.1', port, key: '1.2.3.4' };
  writeFileSync(
    join(folder, 'state/kd-session.json'),
    JSON.stringify({ schema: 'winrm-kd-session-v1', ...state }),
  );
}
