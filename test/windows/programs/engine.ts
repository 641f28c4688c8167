/** The engine on Windows pipes and console events, with the simulator as kd. Run by run.mjs with a Windows Node. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Actor } from '../../../src/kd/model.ts';
import { createRedactor } from '../../../src/kd/redact.ts';
import { KdSession } from '../../../src/kd/session.ts';
import { enableCtrlC } from '../../../src/kd/win32-console.ts';
import { eventually, freePort, lives } from './waiting.ts';

const agent: Actor = { kind: 'agent', name: 'test' };

test('a session breaks in, runs commands, lets the target run and ends kd', {
  timeout: 60_000,
}, async (t) => {
  assert.ok(enableCtrlC().ok);
  let transcript = '';
  const session = KdSession.start({
    program: [process.execPath, join(import.meta.dirname, 'app', 'simulator.js')],
    args: ['-k', `net:port=${await freePort()},key=1.2.3.4`],
    redactor: createRedactor(['1.2.3.4']),
    transport: 'net',
    workdir: mkdtempSync(join(import.meta.dirname, 'kd-')),
    breakOnConnect: false,
    startedBy: agent,
    events: {
      onTranscript: (piece) => {
        transcript += `${piece.text}\n`;
      },
      onStatus: () => {},
      onCommandStart: () => {},
      onCommandEnd: () => {},
    },
  });
  t.after(() => session.kill('the test is over'));
  await eventually('the link to the guest', () => session.status.linked || undefined);

  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await session.breakIn(agent, 20_000), { ok: true }, transcript);
    assert.equal(session.status.state, 'broken');
    assert.equal((await session.run('.echo over the pipe', agent).settled).outcome, 'done');
    assert.match(transcript, /^over the pipe\r?\n/m);
    assert.deepEqual(await session.go(agent), { ok: true });
  }
  const { pid } = session;
  const exit = await session.quit('resume', agent);
  assert.deepEqual({ code: exit.code, target: exit.target }, { code: 0, target: 'running' });
  assert.ok(pid !== undefined && !lives(pid));
  t.diagnostic(transcript.split('\n').filter((line) => line.startsWith('[KD-MCP]'))[0] ?? 'no remarks');
});
