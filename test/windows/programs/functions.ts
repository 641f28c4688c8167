/** Each Windows function by itself. Run by run.mjs with a Windows Node. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { isElevated, joinKillOnCloseJob, processStartTime } from '../../../src/host/win32.ts';
import { ansiCodePage, oemCodePage } from '../../../src/kd/win32-code-page.ts';
import {
  attachConsole,
  enableCtrlC,
  ignoreCtrlInThisProcess,
  sendCtrl,
} from '../../../src/kd/win32-console.ts';
import { describeFailure } from '../../../src/kd/win32-library.ts';

/** A program that lives until its input ends. */
function idle(hidden: boolean) {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: hidden,
  });
  const ended = once(child, 'exit');
  const end = async () => {
    child.stdin.end();
    await ended;
  };
  return { pid: child.pid ?? 0, end };
}

test('Ctrl+C can be enabled for programs this process starts', () => {
  assert.deepEqual(enableCtrlC(), { ok: true, value: undefined });
});

test('a handler for console events can be put in, again and again', () => {
  assert.deepEqual(ignoreCtrlInThisProcess(), { ok: true, value: undefined });
  assert.deepEqual(ignoreCtrlInThisProcess(), { ok: true, value: undefined });
});

test('the code pages are numbers Windows knows', (t) => {
  const ansi = ansiCodePage();
  const oem = oemCodePage();
  assert.ok(ansi.ok && ansi.value > 0 && oem.ok && oem.value > 0);
  t.diagnostic(`ANSI ${ansi.value}, OEM ${oem.value}`);
});

test('a process has one start time, which lies between the clock before and after', async () => {
  const before = Date.now();
  const { pid, end } = idle(true);
  const first = processStartTime(pid);
  const after = Date.now();
  const again = processStartTime(pid);
  await end();
  assert.ok(first.ok, JSON.stringify(first));
  assert.deepEqual(again, first);
  const unix = Number(BigInt(first.value) / 10_000n) - 11_644_473_600_000;
  assert.ok(unix >= before - 100 && unix <= after + 100, `${unix} is not in ${before}..${after}`);
});

test('a process that has ended has no start time, and one that never was has none', async () => {
  const { pid, end } = idle(true);
  await end();
  assert.deepEqual(processStartTime(pid), { ok: false, call: 'OpenProcess', error: 87 });
  assert.deepEqual(processStartTime(0xfffff0), { ok: false, call: 'OpenProcess', error: 87 });
});

test('elevation is told', (t) => {
  const elevated = isElevated();
  assert.ok(elevated.ok, JSON.stringify(elevated));
  t.diagnostic(elevated.value ? 'elevated' : 'not elevated');
});

test('this process can be put in a job more than once', () => {
  assert.deepEqual(joinKillOnCloseJob(), { ok: true, value: undefined });
  assert.deepEqual(joinKillOnCloseJob(), { ok: true, value: undefined });
});

test('the console of a process that is not there cannot be joined, and the failure has a name and a number', () => {
  const attach = attachConsole(0xfffff0);
  assert.ok(!attach.ok);
  assert.equal(attach.call, 'AttachConsole');
  assert.equal(describeFailure(attach), `AttachConsole failed with Windows error ${attach.error}`);
});

test('without a console an event cannot be sent', (t) => {
  const sent = sendCtrl('c');
  assert.ok(!sent.ok);
  t.diagnostic(describeFailure(sent));
});
