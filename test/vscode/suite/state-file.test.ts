import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { eventually, skip, test } from './runner.ts';
import { stateItem, statusText, thePage, toggleItem } from './screen.ts';

const KEY = '1.2.3.4';
/** With its test driver, VS Code shows no toasts: what a person would see as one is in the list. */
const notifications = '.notifications-center .notification-list-item';

function stateFile(): string {
  return join(process.env.KD_MCP_TEST_FOLDER ?? skip('no folder'), 'state', 'kd-session.json');
}

function writeState(port: number): void {
  const path = stateFile();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    JSON.stringify({
      schema: 'winrm-kd-session-v1',
      guest_host: '127.0.0.1',
      host_ip: '127.0.0.1',
      port,
      key: KEY,
    }),
  );
}

async function notificationTexts(): Promise<readonly string[]> {
  await vscode.commands.executeCommand('notifications.showList');
  return await thePage().texts(notifications);
}

test('a state file that appears, in a folder that was not there, is offered with guest and port but without its key', async () => {
  const seen = thePage();
  writeState(50123);
  const offer = await eventually('the offer', async () => {
    return (await notificationTexts()).find((text) => text.includes('50123'));
  });
  assert.match(offer, /127\.0\.0\.1/);
  assert.match(offer, /50123/);
  assert.ok(!offer.includes(KEY));
  await eventually('the welcome view names it', async () =>
    (await seen.texts('.welcome-view-content')).some((text) => text.includes('state file is ready')),
  );
  await seen.picture('state-file');
});

test('a click on Connect starts the session', async () => {
  const seen = thePage();
  await seen.click(`${notifications} .monaco-button:has-text("Connect")`);
  await eventually('the session', async () => (await statusText(stateItem)).includes('net-50123'), 30_000);
});

test('the same content written again is no news, another port is', async () => {
  const seen = thePage();
  writeState(50123);
  await eventually('the first one is over', async () => (await notificationTexts()).length === 0);
  writeState(50124);
  await eventually('the new port', async () =>
    (await notificationTexts()).some((text) => text.includes('50124')),
  );
  assert.deepEqual(
    (await notificationTexts()).filter((text) => text.includes('50123')),
    [],
  );
  await vscode.commands.executeCommand('notifications.clearAll');
  await seen.press('Escape');
});

test('Resume for WinRM lets the target run and says when WinRM answers', async () => {
  const seen = thePage();
  await vscode.commands.executeCommand('kdMcp.breakIn');
  await eventually('halted', async () => (await statusText(stateItem)).includes('halted'));
  const winrm = createServer((_request, response) => response.writeHead(405).end());
  await new Promise<void>((done) => winrm.listen(5985, '127.0.0.1', done));
  try {
    await vscode.commands.executeCommand('kdMcp.resumeForWinrm');
    await eventually('the news', async () => {
      return (await notificationTexts()).some((text) => text.includes('WinRM answers on 127.0.0.1'));
    });
    assert.match(await statusText(toggleItem), /Break/);
    await seen.picture('winrm');
  } finally {
    winrm.close();
  }
});

test('the state file that goes away is not offered any more', async () => {
  const seen = thePage();
  rmSync(stateFile());
  await vscode.commands.executeCommand('kdMcp.stop', { kind: 'session', id: 'net-50123' });
  await eventually('the plain welcome text', async () =>
    (await seen.texts('.welcome-view-content')).some((text) => text.includes('No kernel debugging session')),
  );
});
