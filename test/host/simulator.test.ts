/** The rules of a kd on its pipes, one by one: kd-behaviour.md Appendix B. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { disposeSimulators, freePort, startSimulator } from './simulator-process.ts';

afterEach(disposeSimulators);

test('lines end in CRLF, prompts have no line end, input is not echoed, each line gets one prompt', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  const before = kd.bytes().length;
  kd.write('.echo one\n.echo two\r\n.echo\n');
  await kd.until(/two\n0: kd> \n0: kd> $/);
  expect(kd.bytes().subarray(before).toString()).toBe('one\r\n0: kd> two\r\n0: kd> \r\n0: kd> ');
});

test('a NET start prints gallery, banner, transport, link, connection and stop in kd order', async () => {
  const kd = await startSimulator('-bonc');
  const text = await kd.until('0: kd> ');
  const marks = [
    '\n************* Preparing the environment for Debugger Extensions Gallery repositories **************\n',
    '\nMicrosoft (R) Windows Debugger Version 10.0.29507.1001 AMD64\nCopyright (c) Microsoft Corporation. All rights reserved.\n\n',
    'Using NET for debugging\nOpened WinSock 2.0\nWaiting to reconnect...\n',
    'Connected to target 127.0.0.1 on port ',
    'You can get the target MAC address by running .kdtargetmac command.\n',
    'Connected to Windows 10 19041 x64 target at (',
    'Kernel Debugger connection established.  (Initial Breakpoint requested)\n',
    'Symbol search path is: srv*\nExecutable search path is: \n',
    'Windows 10 Kernel Version 19041 MP (2 procs) Free x64\nProduct: WinNt, suite: TerminalServer SingleUserTS\nEdition build lab: ',
    'System Uptime: 0 days 1:00:',
    'Break instruction exception - code 80000003 (first chance)\n****',
    'nt!DbgBreakPointWithStatus:\nfffff803`12410010 cc              int     3\n0: kd> ',
  ];
  let at = 0;
  for (const mark of marks) {
    const found = text.indexOf(mark, at);
    expect(found, mark).toBeGreaterThanOrEqual(at);
    at = found;
  }
});

test.each([
  [['-k', 'com:port=com3,baud=115200'], 'Opened \\\\.\\com3\nWaiting to reconnect...\n'],
  [
    ['-k', 'com:pipe,port=\\\\.\\pipe\\nosuch,reconnect'],
    'Waiting for pipe \\\\.\\pipe\\nosuch\nWaiting to reconnect...\n',
  ],
  [['-k', 'com:ipport=7777,port=127.0.0.1'], 'Opened 127.0.0.1\nWaiting to reconnect...\n'],
  [['-k', 'net:port=80,key=1'], 'Opened WinSock 2.0\nWaiting to reconnect...\n'],
])('transport %j opens', async (args, expected) => {
  const kd = await startSimulator(...args);
  await kd.until(expected);
  expect(kd.text()).not.toContain('Connected to target ' + '127.0.0.1 on port 7777');
});

test.each([
  [
    [],
    'Failed to open \\\\.\\com9\nKernel debugger failed initialization, Win32 error 0n2\n    "File not found."\n',
    0x80070002,
    ['-k', 'com:port=com9'],
  ],
  [
    [],
    'Failed to open \\\\.\\pipe\\nosuch\nKernel debugger failed initialization, Win32 error 0n2\n',
    0x80070002,
    ['-k', 'com:pipe,port=\\\\.\\pipe\\nosuch'],
  ],
  [
    [],
    'Kernel debugger failed initialization, Win32 error 0n87\n    "Invalid parameter."\n',
    0x80070057,
    ['-k', 'foo:bar'],
  ],
  [[], 'Win32 error 0n5\n    "Access is denied."\n', 0x80070005, ['-k', 'com:port=com5']],
] as const)('a transport that cannot be opened ends kd with its code %#', async (_, expected, code, args) => {
  const kd = await startSimulator(...args);
  const exit = await kd.exited;
  expect(kd.text()).toContain(expected);
  expect(exit.code).toBe(process.platform === 'win32' ? code : code & 0xff);
});

test('the local kernel has its own prompt and cannot run', async () => {
  const kd = await startSimulator('-kl', '-c', '.echo hi');
  const text = await kd.until('hi\nlkd> ');
  expect(text).toContain("lkd> kd: Reading initial command '.echo hi'\nhi\n");
  expect(await kd.ask('g')).toContain("^ No runnable debuggees error in 'g'\n");
});

test('a dump opens at once; a missing one ends kd', async () => {
  const kd = await startSimulator('-z', join(import.meta.dirname, 'simulator.test.ts'));
  expect(await kd.until('kd> ')).toMatch(/\nLoading Dump File \[.*\]\nKernel Bitmap Dump File/);
  expect(await kd.ask('.bugcheck')).toContain('Bugcheck code 000000D1\n');
  const missing = await startSimulator('-z', 'no-such.dmp');
  expect((await missing.exited).code).toBe(process.platform === 'win32' ? 0x80070002 : 2);
});

test('while the target runs or is not there lines wait, and are run in order at the next stop', async () => {
  const kd = await startSimulator();
  kd.send('.echo queued while waiting');
  await kd.breakIn();
  await kd.until('queued while waiting\n0: kd> ');
  kd.write('g\n.echo one\n.echo two\n');
  await kd.control('print running\\n');
  expect(await kd.until('running\n')).toBe('running\n');
  kd.interrupt();
  expect(await kd.until('two\n0: kd> ')).toMatch(/int {5}3\n0: kd> one\n0: kd> two\n0: kd> $/);
});

test('a break at an idle prompt is dropped, one of a running target stops it with the box', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  kd.interrupt();
  expect(await kd.ask('.echo after')).toBe('after\n');
  kd.send('g');
  await kd.control('print on\\n');
  await kd.until('on\n');
  kd.interrupt();
  expect(await kd.until('kd> ')).toContain('THIS IS NOT A BUG OR A SYSTEM CRASH');
});

test('byte 06 at the start of a line breaks in although kd reads no lines', async () => {
  const kd = await startSimulator();
  await kd.until('.kdtargetmac command.\n');
  kd.write('\x06\n');
  await kd.until('0: kd> ');
  kd.write('g\n');
  await kd.control('print on\\n');
  kd.write('.echo queued\n\x06\r\n');
  await kd.until('int     3\n0: kd> queued\n0: kd> ');
});

test('byte 06 at a prompt does nothing but show the prompt again', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  await kd.ask('.echo before');
  kd.write('\x06\n');
  expect(await kd.until('kd> ')).toBe('0: kd> ');
});

test('byte 02 ends kd at once', async () => {
  const kd = await startSimulator();
  await kd.until('.kdtargetmac');
  kd.write('\x02\n');
  expect((await kd.exited).code).toBe(0);
});

test('a break requested while waiting is kept and stops the target when it appears', async () => {
  const kd = await startSimulator('--scenario', 'no-target');
  await kd.until('Waiting to reconnect...\n');
  kd.interrupt();
  kd.interrupt();
  await kd.control('appear');
  const text = await kd.until('kd> ');
  expect(text).toContain('Kernel Debugger connection established.\n');
  expect(text.match(/THIS IS NOT A BUG/g)).toHaveLength(1);
});

test('a break cancels a loop with a caret line and a dump with "-- User interrupt"; queued lines follow', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  const loop = '.for (r $t0 = 0; @$t0 < 0n20000000; r $t0 = @$t0 + 1) { .printf "line %d\\n", @$t0 }';
  kd.write(`${loop}\n.echo after\n`);
  await kd.until('line 100\n');
  kd.interrupt();
  expect(await kd.until('after\n0: kd> ')).toContain(
    `^ User interrupted operation error in '${loop}'\n0: kd> after\n`,
  );
  kd.send('db ffffa801`20000000 L?1000000');
  await kd.until('ffffa801`20001000');
  kd.interrupt();
  await kd.until('-- User interrupt\n0: kd> ');
});

test('a sleep takes hexadecimal and does not hear a break', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  const started = performance.now();
  kd.send('.sleep 100');
  kd.interrupt();
  expect(await kd.until('kd> ')).toBe('0: kd> ');
  expect(performance.now() - started).toBeGreaterThan(250);
});

test('unknown commands fail in the words of the engine', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  expect(await kd.ask('!foo')).toBe('foo is not extension gallery command\nNo export foo found\n');
  expect(await kd.ask('.foo')).toBe("          ^ Syntax error in '.foo'\n");
  expect(await kd.ask('foo')).toBe("Couldn't resolve error at 'oo'\n");
  expect(await kd.ask('eb 0 1')).toBe("            ^ Memory access error in 'eb 0 1'\n");
  expect(await kd.ask('~5s')).toBe('5 is not a valid processor number\n');
  expect(await kd.ask('q extra')).toBe("        ^ Syntax error in 'q extra'\n");
  expect(await kd.ask('.if (1) { .echo x')).toBe("               ^ Syntax error in '.if (1) { .echo x'\n");
  expect(await kd.ask('db nosuch')).toBe("Couldn't resolve error at 'nosuch'\n");
});

test('separators, comments and aliases work as in kd', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  expect(await kd.ask('.echo "a;b";.echo c')).toBe('a;b\nc\n');
  expect(await kd.ask('$$ comment ; .echo x')).toBe('x\n');
  expect(await kd.ask('* comment ; .echo x')).toBe('');
  await kd.ask('as zzz hello');
  expect(await kd.ask(`.echo zzz and ${'$'}{zzz}`)).toBe('hello and hello\n');
  await kd.ask('ad *');
  expect(await kd.ask('.echo zzz')).toBe('zzz\n');
  expect(await kd.ask('.printf "no newline"')).toBe('no newline');
});

test('an empty line repeats the previous command', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  await kd.ask('.echo again');
  expect(await kd.ask('')).toBe('again\n');
  expect(await kd.ask('.echo')).toBe('\n');
  expect(await kd.ask('')).toBe('\n');
});

test('a line of more than 4096 characters is cut in two commands', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  kd.send(`.echo ${'a'.repeat(4090)}.echo rest`);
  const text = await kd.until('rest\n0: kd> ');
  expect(text).toBe(`${'a'.repeat(4090)}\n0: kd> rest\n0: kd> `);
});

test('output may be cut anywhere, also between CR and LF, without losing a byte', async () => {
  const port = await freePort();
  const plain = await startSimulator('-k', `net:port=${port},key=1.2.3.4`);
  await plain.breakIn();
  const expected = await plain.ask('.printf "한글\\n";lm;k;db nt!NtBuildLab');
  await plain.dispose();
  const cut = await startSimulator('-k', `net:port=${port},key=1.2.3.4`, '--chunk', '--seed', '7');
  await cut.breakIn();
  expect(await cut.ask('.printf "한글\\n";lm;k;db nt!NtBuildLab')).toBe(expected);
});

test('on a Korean host a line with Korean text loses its tail, the Unicode log has it whole', async () => {
  const kd = await startSimulator('--scenario', 'multibyte', '-bonc');
  await kd.until('kd> ');
  await kd.ask('.logopen /u kd.log');
  kd.write('.echo before\n');
  kd.write(
    Buffer.concat([
      Buffer.from('.echo '),
      Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]),
      Buffer.from('\n.echo MARK\n'),
    ]),
  );
  const text = await kd.until('MARK\n0: kd> ');
  expect(text).toBe('before\n0: kd> \xc7\xd1\xb1\xdb0: kd> MARK\n0: kd> ');
  await kd.ask('du mydriver!g_Korean');
  const log = readFileSync(join(kd.directory, 'kd.log'));
  expect(log.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
  const shown = log.subarray(2).toString('utf16le');
  expect(shown).toContain(
    '\r\n0: kd> .echo before\r\nbefore\r\n0: kd> .echo 한글\r\n한글\r\n0: kd> .echo MARK\r\nMARK\r\n',
  );
});

test('q leaves the guest halted, qd lets it run, and both exit with 0', async () => {
  for (const [command, state] of [
    ['q', 'frozen'],
    ['qd', 'running'],
  ] as const) {
    const kd = await startSimulator('--guest', 'guest.json');
    await kd.breakIn();
    kd.send(command);
    expect((await kd.exited).code).toBe(0);
    expect(kd.text()).toMatch(/0: kd> quit:\n$/);
    expect(JSON.parse(readFileSync(join(kd.directory, 'guest.json'), 'utf8'))).toMatchObject({ state });
  }
});

test('the end of stdin at a prompt ends kd; while the target runs kd stays', async () => {
  const kd = await startSimulator();
  await kd.breakIn();
  kd.child.stdin?.end();
  expect((await kd.exited).code).toBe(0);
  const running = await startSimulator();
  await running.until('.kdtargetmac');
  running.child.stdin?.end();
  await running.control('print still here\\n');
  await running.until('still here\n');
  running.interrupt();
  expect((await running.exited).code).toBe(0);
});

test('versions of kd differ in their words', async () => {
  const kd = await startSimulator(
    '-bonc',
    '--style',
    'old-box,built-by,dml,numbered-k,no-gallery,reload-hint',
  );
  const text = await kd.until('kd> ');
  expect(text).not.toContain('Gallery');
  expect(text).toContain('*       CTRL+C (if you run kd.exe) or,                                        *\n');
  expect(text).toContain('Built by: 19041');
  await kd.ask('bp nt!NtClose');
  expect(await kd.ask('bl')).toBe('     0 e Disable Clear  fffff803`12411080     0001 (0001) nt!NtClose\n\n');
  expect(await kd.ask('k 1')).toMatch(/^ # Child-SP {10}RetAddr {15}Call Site\n00 /);
  expect(await kd.ask('.reload')).toContain('Press ctrl-c (cdb, kd, ntsd) or ctrl-break (windbg) to abort');
});

test('-version prints the version and ends', async () => {
  const kd = await startSimulator('-version');
  expect((await kd.exited).code).toBe(0);
  expect(kd.text()).toContain('10.0.29507.1001');
});

test('a marker round trip takes less than a millisecond and a big listing streams', async () => {
  const kd = await startSimulator('--scenario', 'big');
  await kd.breakIn();
  for (let i = 0; i < 50; i++) await kd.ask(`.echo warm${i}`);
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    const started = performance.now();
    await kd.ask(`.echo M${i}`);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  // Generous: this machine may be busy with other tests.
  expect(times[100]).toBeLessThan(10);
  const before = kd.bytes().length;
  kd.send('!process 0 7');
  kd.send('.echo THE END');
  await kd.until('THE END\n0: kd> ');
  expect(kd.bytes().length - before).toBeGreaterThan(10 << 20);
});
