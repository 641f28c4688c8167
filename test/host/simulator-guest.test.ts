/** The guest outlives its kd: the guest file, WinRM, module loads, breakpoints left in memory. */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { disposeSimulators, freePort, startSimulator } from './simulator-process.ts';

afterEach(disposeSimulators);

function stateIn(directory: string): unknown {
  return JSON.parse(readFileSync(join(directory, 'guest.json'), 'utf8'));
}

/** Status and server of an HTTP answer, or the error code. */
function ask(port: number, method: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/wsman', method, agent: false }, (response) => {
      response.resume();
      resolve(`${response.statusCode} ${response.headers.server}`);
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    request.end();
  });
}

test('a guest that q left halted stops the next kd at once, behind the break instruction and without the box', async () => {
  const first = await startSimulator('--guest', 'guest.json');
  await first.breakIn();
  first.send('q');
  await first.exited;
  expect(stateIn(first.directory)).toMatchObject({ state: 'frozen', rip: 'fffff80312410011', stop: 'break' });
  const second = await startSimulator('--guest', join(first.directory, 'guest.json'));
  const text = await second.until('kd> ');
  expect(text).toContain('Kernel Debugger connection established.\n');
  expect(text).toMatch(
    /\(first chance\)\nnt!DbgBreakPointWithStatus\+0x1:\nfffff803`12410011 c3 {14}ret\n0: kd> $/,
  );
  second.send('qd');
  await second.exited;
  expect(stateIn(first.directory)).toMatchObject({ state: 'running', rip: null });
});

test('killing kd leaves a halted guest halted', async () => {
  const kd = await startSimulator('--guest', 'guest.json');
  await kd.breakIn();
  kd.child.kill('SIGKILL');
  await kd.exited;
  expect(stateIn(kd.directory)).toMatchObject({ state: 'frozen', rip: 'fffff80312410010' });
});

test('killing kd leaves a running guest running, with its breakpoints in memory', async () => {
  const kd = await startSimulator('--guest', 'guest.json');
  await kd.breakIn();
  await kd.ask('bp nt!NtClose');
  kd.send('g');
  await expect
    .poll(() => stateIn(kd.directory))
    .toMatchObject({ state: 'running', patched: ['fffff80312411080'] });
  kd.child.kill('SIGKILL');
  await kd.exited;
  expect(stateIn(kd.directory)).toMatchObject({ state: 'running', patched: ['fffff80312411080'] });
});

test('a crashed guest that was left halted still shows its crash', async () => {
  const kd = await startSimulator('--guest', 'guest.json');
  await kd.until('.kdtargetmac');
  await kd.control('bugcheck 50 1 2 3 4');
  await kd.until('kd> ');
  kd.child.kill('SIGKILL');
  await kd.exited;
  const next = await startSimulator('--guest', join(kd.directory, 'guest.json'));
  expect(await next.until('kd> ')).toContain('A fatal system error has occurred.');
  expect(await next.ask('.bugcheck')).toContain('Bugcheck code 00000050\n');
});

test('WinRM answers only while the guest runs', async () => {
  const port = await freePort();
  const kd = await startSimulator('--winrm', `127.0.0.1:${port}`);
  await kd.until('.kdtargetmac');
  await expect.poll(() => ask(port, 'GET')).toBe('405 Microsoft-HTTPAPI/2.0');
  expect(await ask(port, 'POST')).toBe('401 Microsoft-HTTPAPI/2.0');
  kd.interrupt();
  await kd.until('kd> ');
  expect(await ask(port, 'GET')).toBe('ECONNREFUSED');
  kd.send('g');
  await expect.poll(() => ask(port, 'GET')).toBe('405 Microsoft-HTTPAPI/2.0');
  await kd.control('reboot');
  expect(await ask(port, 'GET')).toBe('ECONNREFUSED');
  await expect.poll(() => ask(port, 'GET')).toBe('405 Microsoft-HTTPAPI/2.0');
});

test('a module load stops where sxe ld asks for it', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  await kd.ask('sxe ld:otherdrv');
  kd.send('g');
  await kd.control('load otherdrv');
  expect(await kd.until('kd> ')).toMatch(/^nt!DebugService2\+0x5:\n/);
  expect(await kd.ask('.lastevent')).toContain('Last event: Load module otherdrv.sys at fffff803`1b000000\n');
  expect(await kd.ask('lm m otherdrv')).toContain('otherdrv');
});

test('a deferred breakpoint becomes real when its driver is loaded, and hits', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  await kd.ask('bu otherdrv!OtherDispatch');
  expect(await kd.ask('bl')).toBe(' 0 eu                      0001 (0001) (otherdrv!OtherDispatch)\n\n');
  kd.send('g');
  expect(await kd.control('hit otherdrv!OtherDispatch')).toBe('no the guest is running');
  await kd.control('load otherdrv');
  await kd.control('hit otherdrv!OtherDispatch');
  expect(await kd.until('kd> ')).toContain('Breakpoint 0 hit\notherdrv!OtherDispatch:\n');
});

test('registers and memory keep what is written to them', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  await kd.ask('r rax=1234');
  expect(await kd.ask('r rax')).toBe('rax=0000000000001234\n');
  expect(await kd.ask('? @rax+1')).toBe('Evaluate expression: 4661 = 00000000`00001235\n');
  await kd.ask('ed nt!NtBuildNumber 1234');
  expect(await kd.ask('dd nt!NtBuildNumber L1')).toBe('fffff803`12442000  00001234\n');
  await kd.ask('eb nt!NtClose cc');
  expect(await kd.ask('u nt!NtClose L1')).toBe('nt!NtClose:\nfffff803`12411080 cc              int     3\n');
});

test('~1s changes the prompt; ~0s, where the break stands, shows the text of the stop again', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  kd.send('~1s');
  expect(await kd.until('kd> ')).toBe('1: kd> ');
  expect(await kd.ask('k')).toContain('nt!KiIdleLoop+0x2');
  kd.send('~0s');
  expect(await kd.until('kd> ')).toMatch(/^Break instruction exception[\s\S]*\*\n0: kd> $/);
});
