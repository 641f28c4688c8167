import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { callTool } from './agent.ts';
import { node, run } from './commands.ts';
import { eventually, skip, test } from './runner.ts';
import {
  answerNotification,
  clearNotifications,
  notifications,
  notificationTexts,
  stateItem,
  statusText,
  thePage,
  toggleItem,
  treeText,
} from './screen.ts';

const KEY = '1.2.3.4';
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
});

test('a click on Connect starts the session', async () => {
  const seen = thePage();
  await seen.click(`${notifications} .monaco-button:has-text("Connect")`);
  await eventually('the session', async () => (await statusText(stateItem)).includes('net-50123'), 30_000);
});

test('the same content written again is no news, another port is', async () => {
  thePage();
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
  await clearNotifications();
});

test('Resume for WinRM lets the target run and says when WinRM answers', async () => {
  thePage();
  await run('kdMcp.breakIn');
  await eventually('halted', async () => (await statusText(stateItem)).includes('halted'));
  const winrm = createServer((_request, response) => response.writeHead(405).end());
  await new Promise<void>((done) => winrm.listen(5985, '127.0.0.1', done));
  try {
    await run('kdMcp.resumeForWinrm');
    await eventually('the news', async () => {
      return (await notificationTexts()).some((text) => text.includes('WinRM answers on 127.0.0.1'));
    });
    assert.match(await statusText(toggleItem), /Break/);
  } finally {
    winrm.close();
  }
});

test('Start… asks for port and key, says what is wrong with them, and does not show the key', async () => {
  const seen = thePage();
  const started = run<string>('kdMcp.start');
  const rows = '.quick-input-list .monaco-list-row';
  await eventually('the transports', async () => (await seen.texts(rows)).length >= 8);
  await seen.click(`${rows}:has-text("network")`);
  const says = (text: string) =>
    eventually(text, async () =>
      (await seen.texts('.quick-input-widget')).some((each) => each.includes(text)),
    );
  await says('UDP port');
  await seen.press('Control+A');
  await seen.type('80');
  await says('80 is no port for KDNET');
  await seen.press('Control+A');
  await seen.type('50125');
  await seen.press('Enter');
  await says('KDNET key');
  await seen.type('1.2.3');
  await says('has 3 parts');
  await seen.type('.4');
  await eventually('no complaint', async () =>
    (await seen.texts('.quick-input-widget')).every((each) => !each.includes('parts')),
  );
  await seen.press('Enter');
  assert.equal(await started, 'net-50125');
  await run('kdMcp.stop', node('net-50125'));
});

test('a session whose host dies is told, stays in the tree with the reason, and its guest can be rescued', async () => {
  thePage();
  writeState(50123);
  await callTool('break_in', { session_id: 'net-50123' });
  await eventually('halted', async () => (await statusText(stateItem)).includes('halted'));
  await clearNotifications();
  const home = process.env.KD_MCP_HOME ?? skip('no home');
  const { hostPid } = JSON.parse(readFileSync(join(home, 'sessions', 'net-50123.json'), 'utf8'));
  process.kill(hostPid, 'SIGKILL');
  await eventually('the news', async () =>
    (await notificationTexts()).some((text) => text.includes('net-50123 was lost')),
  );
  await eventually('the ended session', async () =>
    /^net-50123 ?ended · The session host/m.test(await treeText()),
  );
  await answerNotification('was lost', 'Rescue Guest');
  // The agent's server saw it too and may have been faster.
  const rescued = /guest of net-50123 was (not )?frozen|No guest is known to be frozen/;
  await eventually(
    'the rescue',
    async () => (await notificationTexts()).some((text) => rescued.test(text)),
    40_000,
  );
  await clearNotifications();
});

test('ended sessions go when they are dismissed, and the state file that goes away is not offered any more', async () => {
  const seen = thePage();
  rmSync(stateFile());
  await eventually(
    'the plain welcome text',
    async () => {
      // The session of the rescue ends, too.
      await run('kdMcp.dismissAll');
      const texts = await seen.texts('.welcome-view-content');
      return texts.some((text) => text.includes('No kernel debugging session'));
    },
    40_000,
  );
});
