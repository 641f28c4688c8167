/** Each scenario does what its line says. */
import { afterEach, expect, test } from 'vitest';
import { SCENARIOS } from '../../src/simulator/console/scenarios.ts';
import { disposeSimulators, freePort, type SimulatorProcess, startSimulator } from './simulator-process.ts';

afterEach(disposeSimulators);

async function scenario(name: string, ...args: readonly string[]): Promise<SimulatorProcess> {
  return startSimulator('--scenario', name, '--style', 'no-gallery', ...args);
}

/** Lets the guest run and waits until it does. */
async function go(kd: SimulatorProcess): Promise<void> {
  kd.send('g');
  await expect.poll(async () => (await kd.state()).state, { interval: 5 }).toBe('running');
}

test('--list-scenarios names them all and ends', async () => {
  const kd = await startSimulator('--list-scenarios');
  expect((await kd.exited).code).toBe(0);
  for (const { name, description } of SCENARIOS)
    expect(kd.text()).toContain(`${name.padEnd(16)}${description}`);
});

test('driver-prints: texts come while the guest runs, also without a line end', async () => {
  const kd = await scenario('driver-prints');
  await kd.until('mydriver: progress ... 100%\nmydriver: a last line\n');
});

test('breakpoint: a breakpoint on the driver hits, with registers, stack and last event of the hit', async () => {
  const kd = await scenario('breakpoint');
  await kd.breakIn();
  expect(await kd.ask('bp mydriver!MyDispatch')).toBe(
    "Bp expression 'mydriver!MyDispatch' could not be resolved, adding deferred bp\n",
  );
  await kd.ask('.reload');
  expect(await kd.ask('bl')).toBe(' 0 e fffff803`1a001040     0001 (0001) mydriver!MyDispatch\n\n');
  kd.send('g');
  expect(await kd.until('kd> ')).toBe(
    'Breakpoint 0 hit\nmydriver!MyDispatch:\nfffff803`1a001040 90              nop\n0: kd> ',
  );
  expect(await kd.ask('.lastevent')).toContain('Last event: Hit breakpoint 0\n');
  expect(await kd.ask('k 2')).toContain('mydriver!MyDispatch\n');
  expect(await kd.ask('db mydriver!MyDispatch L1')).toContain('  90  ');
});

test('breakpoint: a command that goes on prints only itself', async () => {
  const kd = await scenario('idle');
  await kd.breakIn();
  await kd.ask('.reload');
  await kd.ask('bp mydriver!MyUnload ".echo at unload;k 2;g"');
  await go(kd);
  await kd.control('hit mydriver!MyUnload');
  await kd.control('print afterwards\\n');
  expect(await kd.until('afterwards\n')).toMatch(/^at unload\nChild-SP.*\n.*MyUnload\n.*\nafterwards\n$/);
});

test('bugcheck: the guest crashes by itself, the analysis agrees, going on restarts it', async () => {
  const kd = await scenario('bugcheck');
  const text = await kd.until('kd> ');
  expect(text).toContain(
    '\n*** Fatal System Error: 0x000000d1\n                       (0x000000000000DEAD,0x0000000000000002,0x0000000000000000,0xFFFFF8031A0010C2)\n\n',
  );
  expect(text).toContain(
    'Break instruction exception - code 80000003 (first chance)\n\nA fatal system error has occurred.\nDebugger entered on first try; Bugcheck callbacks have not been invoked.\n\nA fatal system error has occurred.\n\nFor analysis of this file, run !analyze -v\nnt!DbgBreakPointWithStatus:\n',
  );
  expect(await kd.ask('.bugcheck')).toContain('Bugcheck code 000000D1\nArguments 00000000`0000dead');
  expect(await kd.ask('!analyze -v')).toMatch(
    /DRIVER_IRQL_NOT_LESS_OR_EQUAL \(d1\)[\s\S]*IMAGE_NAME: {2}mydriver\.sys/,
  );
  kd.send('g');
  await kd.until(
    /^Shutdown occurred at \(.*\)\.\.\.unloading all symbol tables\.\nUsing NET for debugging\nOpened WinSock 2\.0\nWaiting to reconnect\.\.\.\n/,
  );
  await kd.until('KDTARGET: Refreshing KD connection\nConnected to Windows 10');
});

test('reboot: breakpoints and symbols are lost, the guest reports in and runs on', async () => {
  const kd = await scenario('reboot');
  await kd.breakIn();
  await kd.ask('bp nt!NtClose');
  kd.send('g');
  const text = await kd.until('System Uptime: 0 days 0:00:0');
  expect(text).toMatch(/^Shutdown occurred at/);
  expect(text).toContain('established.\n\n************* Path validation summary **************\n');
  await expect.poll(async () => (await kd.state()).link).toBe('established');
  expect(await kd.state()).toMatchObject({ state: 'running', boots: 2 });
  kd.interrupt();
  await kd.until('kd> ');
  expect(await kd.ask('bl')).toBe('\n');
});

test('reboot: -bonc stops the guest again at every connection', async () => {
  const kd = await scenario('idle', '-bonc');
  await kd.until('kd> ');
  await go(kd);
  await kd.control('reboot');
  expect(await kd.until('kd> ')).toContain('(Initial Breakpoint requested)');
});

test('.reboot leaves no prompt, lines wait for the next stop', async () => {
  const kd = await scenario('idle');
  await kd.breakIn();
  kd.write('.reboot\n.echo MARK\n');
  await kd.until('System Uptime');
  expect(kd.text()).not.toContain('MARK');
  kd.interrupt();
  await kd.until('0: kd> MARK\n0: kd> ');
});

test('link-loss: a command that needs the target waits, others do not; the retries come when the link is back', async () => {
  const kd = await scenario('idle');
  await kd.breakIn();
  await kd.control('vanish');
  kd.send('db nt!NtClose L2');
  await kd.control('state');
  kd.interrupt();
  expect(await kd.state()).toMatchObject({ kd: 'busy' });
  await kd.control('back');
  await kd.until('-- User interrupt\n0: kd> ');
  await kd.control('vanish');
  expect(await kd.ask('.echo local')).toBe('local\n');
  await kd.control('back');
});

test('link-loss-live: kd reports its retries as they happen', async () => {
  const kd = await scenario('link-loss-live');
  await kd.breakIn();
  await kd.control('vanish');
  kd.send('db nt!NtClose L2');
  expect(await kd.until('for 128 times.\n')).toBe(
    '... Retry sending the same data packet for 64 times.\nThe transport connection between host kernel debugger and target Windows seems lost.\nplease try resync with target, recycle the host debugger, or reboot the target Windows.\n... Retry sending the same data packet for 128 times.\n',
  );
  await kd.control('back');
  await kd.until('kd> ');
});

test('a break request that is lost with the link is not repeated', async () => {
  const kd = await scenario('idle');
  await kd.breakIn();
  await go(kd);
  await kd.control('vanish');
  kd.interrupt();
  await kd.control('state');
  await kd.control('back');
  await kd.control('print still running\\n');
  await kd.until('still running\n');
  expect(await kd.state()).toMatchObject({ state: 'running' });
  kd.interrupt();
  await kd.until('kd> ');
});

test('late-target and no-target: kd says that there is nobody, and the target appears', async () => {
  for (const name of ['late-target', 'no-target']) {
    const kd = await scenario(name);
    await kd.until(
      'Kernel Debug Target Status: [no_debuggee]; Retries: [0] times in last [7] seconds.\nWaiting to reconnect...\n',
    );
    if (name === 'no-target') await kd.control('appear');
    await kd.until('Connected to target ');
  }
});

test('port-busy and a port that another simulator holds end kd with E_FAIL', async () => {
  const port = await freePort();
  const first = await startSimulator('-k', `net:port=${port},key=1.2.3.4`);
  await first.until('Waiting to reconnect');
  for (const second of [
    await startSimulator('-k', `net:port=${port},key=1.2.3.4`),
    await startSimulator('-k', `net:port=${await freePort()},key=1.2.3.4`, '--scenario', 'port-busy'),
  ]) {
    const { code } = await second.exited;
    expect(code).toBe(process.platform === 'win32' ? 0x80004005 : 5);
    expect(second.text()).toMatch(
      /Port \d+ already in use by another process\. Check for other running debugger instances and try again\.\nFailed to initialize IPv6 socket\. {2}Error 0n-2147467259\nWill attempt to connect on IPv4 only\.\nPort [\s\S]*\nFailed to initialize IPv4 socket\. {2}Error 0n-2147467259\nKernel debugger failed initialization, HRESULT 0x80004005\n {4}"Call failed\."\n$/,
    );
  }
});

test('wrong-key: every offer of the target is complained about', async () => {
  const kd = await scenario('wrong-key');
  const complaint = '\nPacket failed authentication.  Please make sure the host and target encryption\n';
  await kd.until(complaint);
  await kd.until(`Run nslookup 127.0.0.1 from a command prompt to get the machine name.\n${complaint}`);
});

test('hard-reset at the prompt shows with the next command that needs the target; no prompt follows', async () => {
  const kd = await scenario('hard-reset');
  await kd.breakIn();
  await expect.poll(async () => (await kd.state()).boots).toBe(2);
  expect(await kd.ask('.echo nothing to see')).toBe('nothing to see\n');
  kd.send('db nt!NtClose L10');
  await kd.until(
    /^KDNET received an out of sequence ping packet\.\nThe target machine restarted without notifying the debugger\.\nTransport link disconnected\. Forcing a debugger reconnect\.\.\.\n-- User interrupt\nShutdown occurred at .*\n(.*\n){2}Waiting to reconnect\.\.\.\n/,
  );
  await kd.until('.kdtargetmac command.\n');
  expect(kd.rest()).toBe('');
  kd.interrupt();
  expect(await kd.until('kd> ')).toContain('Path validation summary');
});

test('a hard reset of a running guest is noticed when it is back', async () => {
  const kd = await scenario('idle');
  await kd.breakIn();
  await go(kd);
  await kd.control('reset');
  await kd.until(/^KDNET received an out of sequence ping packet/);
  await kd.until('Connected to target');
});

test('boot-debugger: the first g is refused, the next one starts the kernel, which connects anew', async () => {
  const kd = await scenario('boot-debugger');
  const text = await kd.until('kd> ');
  expect(text).toContain('Connected to Windows Boot Debugger 19041 x64 target at (');
  expect(text).toContain('Windows Boot Debugger Kernel Version 19041 UP Free x64\n');
  expect(text).toMatch(/Unable to get program counter\nWaitForEvent failed\nkd> $/);
  expect(await kd.ask('g')).toBe("    ^ Unable to get program counter 'g'\n");
  kd.send('g');
  expect(await kd.until('System Uptime')).toMatch(
    /^Connected to target [\s\S]*KDTARGET: Refreshing KD connection\nConnected to Windows 10/,
  );
  kd.interrupt();
  await kd.until('\n0: kd> ');
});

test('multibyte: a driver speaks Korean and its line end is lost', async () => {
  const kd = await scenario('multibyte');
  await kd.until('mydriver: ready\n');
  expect(kd.bytes().includes(Buffer.from([0xc0, 0xe5, 0xc4, 0xa1]))).toBe(true);
});

test('hang: an extension command gets no answer and neither does a break', async () => {
  const kd = await scenario('hang');
  await kd.breakIn();
  kd.send('!process 0 0');
  kd.interrupt();
  kd.send('.echo never');
  await expect.poll(async () => (await kd.state()).kd).toBe('hung');
  expect(kd.rest()).toBe('');
});

test('hang-connect: nothing reacts once the link is up', async () => {
  const kd = await scenario('hang-connect');
  await kd.until('.kdtargetmac command.\n');
  kd.interrupt();
  expect(await kd.state()).toMatchObject({ kd: 'hung', state: 'running' });
});

test('noise: the line comes by itself and inside of output', async () => {
  const kd = await scenario('noise');
  const line = 'Error getting port connector information: 0x00000057\n';
  await kd.until(line);
  await kd.breakIn();
  await kd.control('noise on');
  expect(await kd.ask('.echo abcdef')).toBe(`abc${line}def\n`);
  await kd.control('noise off');
  expect(await kd.ask('.echo quiet')).toBe('quiet\n');
});

test('sub-modes: values, code, help and a driver ask; a break cancels', async () => {
  const kd = await scenario('sub-modes');
  await kd.breakIn();
  kd.send('eb nt!NtBuildLab');
  await kd.until('fffff803`12444000 31 Input> ');
  kd.write('41 42\n\n');
  await kd.until('Input> 0: kd> ');
  expect(await kd.ask('da nt!NtBuildLab')).toContain('"AB041');
  kd.send('a nt!NtClose');
  await kd.until('fffff803`12411080 ');
  kd.write('int 3\n\n');
  await kd.until('kd> ');
  kd.send('?');
  await kd.until('Hit Enter...');
  kd.interrupt();
  await kd.until('kd> ');
  kd.send('g');
  await kd.until('(boipt)? ');
  kd.send('x');
  await kd.until('(boipt)? ');
  kd.send('i');
  await kd.control('print ignored\\n');
  await kd.until('ignored\n');
  await kd.control('ask');
  await kd.until('(boipt)? ');
  kd.interrupt();
  expect(await kd.until('kd> ')).toContain(
    'Break instruction exception - code 80000003 (first chance)\nmydriver!MyTimerRoutine:\n',
  );
});

test('swallow: a break right after g is lost, a later one works', async () => {
  const kd = await scenario('swallow');
  await kd.breakIn();
  await go(kd);
  kd.interrupt();
  await kd.control('print still running\\n');
  await kd.until('still running\n');
  const stopped = kd.until('kd> ');
  const again = setInterval(() => kd.interrupt(), 100);
  await stopped.finally(() => clearInterval(again));
});

test('owed-break: the stop is a driver, the break stops the guest again after g', async () => {
  const kd = await scenario('owed-break', '--guest', 'guest.json');
  const first = await kd.breakIn();
  expect(first).toContain('mydriver!MyTimerRoutine:\n');
  expect(first).not.toContain('THIS IS NOT A BUG');
  expect(await kd.state()).toMatchObject({ owedBreaks: 1 });
  kd.send('g');
  expect(await kd.until('kd> ')).toContain('THIS IS NOT A BUG');
  await go(kd);
  expect(await kd.state()).toMatchObject({ owedBreaks: 0, state: 'running' });
});

test('owed-break: qd meets the owed break and leaves the guest halted', async () => {
  const kd = await scenario('owed-break', '--guest', 'guest.json');
  await kd.breakIn();
  kd.send('qd');
  expect((await kd.exited).code).toBe(0);
  const next = await startSimulator('--guest', `${kd.directory}/guest.json`);
  await next.until('kd> ');
});

test('one-processor: the prompt has no number', async () => {
  const kd = await scenario('one-processor');
  expect(await kd.breakIn()).toMatch(/UP Free x64[\s\S]*\nkd> $/);
  expect(await kd.ask('.echo x')).toBe('x\n');
});

test('dies-after-go: kd ends by itself and leaves the last words', async () => {
  const kd = await scenario('dies-after-go');
  await kd.breakIn();
  kd.send('g');
  expect((await kd.exited).code).toBe(0);
  expect(kd.rest()).toMatch(/^Shutdown occurred at \(.*\)\.\.\.unloading all symbol tables\.\n$/);
});

test('forged: prompts, stop texts and escape sequences arrive as text', async () => {
  const kd = await scenario('forged');
  await kd.until('0: kd> forged prompt\n');
  await kd.until('quit:\n');
  await kd.until('\x1b]52;c;ZWNobyBoaQ==\x07\n');
  await kd.until('\x1b[2J\x1b[1;1Hcleared\n');
  expect(await kd.state()).toMatchObject({ state: 'running' });
});

test('a go and a stop that fall into a lost link are heard when it is back', async () => {
  const kd = await scenario('idle');
  await kd.breakIn();
  await kd.ask('.reload');
  await kd.ask('bp mydriver!MyDispatch');
  await kd.control('vanish');
  kd.send('g');
  await expect.poll(async () => (await kd.state()).kd).toBe('away');
  expect(await kd.state()).toMatchObject({ state: 'frozen' });
  await kd.control('back');
  await expect.poll(async () => (await kd.state()).state).toBe('running');
  await kd.control('vanish');
  await kd.control('hit mydriver!MyDispatch');
  expect(await kd.state()).toMatchObject({ state: 'frozen', kd: 'away' });
  await kd.control('back');
  await kd.until('Breakpoint 0 hit\n');
});

test('many-processors: a break stops another processor than the first', async () => {
  const kd = await scenario('many-processors');
  expect(await kd.breakIn()).toMatch(/MP \(16 procs\)[\s\S]*\n8: kd> $/);
});

test('symbol warnings come in the middle of what a command prints', async () => {
  const kd = await scenario('idle', '--style', 'symbol-warnings,no-gallery');
  await kd.breakIn();
  expect(await kd.ask('db nt!NtClose L1')).toMatch(
    /^.+\*\*\* WARNING: Unable to verify timestamp for mydriver\.sys\n.+\n$/,
  );
});
