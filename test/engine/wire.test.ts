/** What Microsoft's engine makes of the simulated target: each request it has, over KDNET. */
import { describe, expect, test } from 'vitest';
import { startGuest } from './guest.ts';
import { PROMPT, startKd, stoppedKd } from './kd.ts';

const connectionOf = ({ port, key }: { readonly port: number; readonly key: string }) => [
  '-k',
  `net:port=${port},key=${key}`,
];

describe('a halted guest', () => {
  test('shows its modules, version, registers, stack, code and memory', async () => {
    const kd = await stoppedKd(await startGuest());
    await kd.run('.reload');
    expect(await kd.run('lm')).toMatch(/12400000 .* nt .*ntkrnlmp\.exe[\s\S]*1a000000 .* mydriver /);
    const version = await kd.run('vertarget');
    expect(version).toContain('Windows 10 Kernel Version 19041 MP (2 procs) Free x64\n');
    expect(version).toContain('Edition build lab: 19041.1.amd64fre.vb_release.191206-1406\n');
    expect(version).toContain('Kernel base = 0xfffff803`12400000 PsLoadedModuleList = 0xfffff803`12440000\n');
    expect(await kd.run('r')).toContain('cs=0010  ss=0018  ds=002b  es=002b  fs=0053  gs=002b');
    expect(await kd.run('k')).toMatch(/DbgBreakPointWithStatus\n.*KdCheckForDebugBreak\+0x2\n/);
    expect(await kd.run('u nt!NtClose L4')).toMatch(/nop\n.*nop\n.*xor {5}eax,eax\n.*ret\n/);
    expect(await kd.run('db nt!NtBuildLab L10')).toContain('31 39 30 34 31 2e 31 2e-61 6d 64 36 34 66 72 65');
    expect(await kd.run('dd nt!NtBuildNumber L1')).toContain('f0004a61');
    expect(await kd.run('dq nt!KiProcessorBlock L2')).toContain('fffff803`10a00180 fffff803`10a10180');
    expect(await kd.run('dps rsp L1')).toContain('nt!KdCheckForDebugBreak+0x2');
    expect(await kd.run('ln mydriver!MyDispatch')).toContain('Exact matches:\n    mydriver!MyDispatch');
    expect(await kd.run('x mydriver!My*')).toMatch(/MyDispatch[\s\S]*MyUnload[\s\S]*MyCrash/);
    expect(await kd.run('.bugcheck')).toContain('Bugcheck code 00000000');
    expect(await kd.run('.lastevent')).toContain('Last event: Break instruction exception - code 80000003');
    expect(await kd.run('.time')).toMatch(/System Uptime: 0 days 1:0\d:/);
    expect(await kd.run('rdmsr c0000101')).toContain('= fffff803`10a00000');
    expect(await kd.run('dg 10')).toContain('Code RE Ac 0 Nb By P  Lo');
  });

  test('keeps what is written to memory and registers, also filled and found', async () => {
    const kd = await stoppedKd(await startGuest());
    await kd.run('.reload /f');
    await kd.run('eb mydriver!g_Counter 41 42');
    expect(await kd.run('db mydriver!g_Counter L2')).toContain('41 42');
    expect(await kd.run('f mydriver!g_Counter L4 55')).toContain('Filled 0x4 bytes');
    expect(await kd.run('dd mydriver!g_Counter L1')).toContain('55555555');
    expect(await kd.run('s -a nt L100000 "KDBG"')).toContain('fffff803`12441010');
    await kd.run('r rax=1234; r xmm0=1 2 3 4');
    expect(await kd.run('r rax')).toContain('rax=0000000000001234');
    expect(await kd.run('eb 0 1')).toContain('Memory access error');
  });

  test('has processors that stand where they stand, each without a word of its own', async () => {
    const kd = await stoppedKd(await startGuest());
    // It did not cause the stop: it reports that it was woken, of which the engine says nothing.
    expect(await kd.run('~1s')).toBe('');
    expect(await kd.run('k 1')).toContain('nt!KiIdleLoop+0x2');
    expect(await kd.run('~0s')).toContain('you pressed either');
    expect(await kd.run('~5s')).toContain('5 is not a valid processor number');
  });
});

describe('breakpoints', () => {
  test('hit when the driver runs; steps go on from there, and gu comes back to the caller', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    await kd.run('.reload /f');
    await kd.run('bp mydriver!MyDispatch');
    expect(await kd.run('bl')).toMatch(/ 0 e fffff803`1a001040 +0001 \(0001\) mydriver!MyDispatch\n/);
    kd.write('g\n');
    await guest.becomes('running');
    expect(await guest.tell('hit')).toBe('ok');
    await kd.shows(/Breakpoint 0 hit\r\nmydriver!MyDispatch:\r\nfffff803`1a001040 90 +nop\r\n/);
    await kd.shows(PROMPT);
    expect(await kd.run('p')).toMatch(/mydriver!MyDispatch\+0x1:\nfffff803`1a001041 90 +nop\n/);
    expect(await kd.run('t')).toMatch(/mydriver!MyDispatch\+0x2:\nfffff803`1a001042 33c0 +xor +eax,eax\n/);
    expect(await kd.run('gu')).toContain('nt!IofCallDriver+0x2:');
  });

  test('in the debug registers stop behind a write and before an execution', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    await kd.run('.reload /f');
    await kd.run('ba w4 mydriver!g_Counter');
    await kd.run('ba e1 mydriver!MyUnload');
    expect(await kd.run('bl')).toMatch(/ 0 e .* w 4 0001 .*g_Counter\n 1 e .* e 1 0001 .*MyUnload\n/);
    for (const [line, place] of [
      ['hit mydriver!MyDispatch', 'Breakpoint 0 hit\r\nmydriver!MyDispatch+0x2:'],
      ['hit mydriver!MyUnload', 'Breakpoint 1 hit\r\nmydriver!MyUnload:'],
    ] as const) {
      kd.write('g\n');
      await guest.becomes('running');
      await guest.tell(line);
      await kd.shows(new RegExp(place.replaceAll('+', '\\+')));
      await kd.shows(PROMPT);
    }
  });

  test('of a debugger that was killed stop the guest for the next one, which takes them out', async () => {
    const guest = await startGuest();
    const first = await stoppedKd(guest);
    await first.run('.reload /f');
    await first.run('bp mydriver!MyDispatch');
    first.write('g\n');
    await guest.becomes('running');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    await guest.tell('hit');
    const second = startKd(connectionOf(guest));
    await second.shows(/Kernel Debugger connection established\.[\s\S]*fffff803`1a001040 90 +nop\r\n/);
    await second.shows(PROMPT);
    expect(await second.run('bl')).toBe('\n');
  });
});

describe('what the guest does', () => {
  test('text, a driver that is loaded and unloaded, and a crash', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    await kd.run('.reload');
    await kd.run('sxe ld');
    kd.write('g\n');
    await guest.becomes('running');
    await guest.tell(`print ${'long '.repeat(300)}\\n`);
    await kd.shows(/(long ){300}\r\n/);
    await guest.tell('load');
    await kd.shows(/nt!DebugService2\+0x5:\r\nfffff803`12411185 cc +int +3\r\n/);
    await kd.shows(PROMPT);
    expect(await kd.run('.lastevent')).toContain('Load module otherdrv.sys at fffff803`1b000000');
    expect(await kd.run('lm')).toContain('otherdrv');
    await kd.run('sxd ld');
    kd.write('g\n');
    await guest.becomes('running');
    await guest.tell('unload');
    // The engine lets it go on by itself.
    await guest.becomes('running');
    expect(await guest.tell('bugcheck d1 dead 2 0 1')).toBe('ok');
    await kd.shows(/\*\*\* Fatal System Error: 0x000000d1[\s\S]*A fatal system error has occurred/);
    await kd.shows(PROMPT);
    expect(await kd.run('lm')).not.toContain('otherdrv');
    expect(await kd.run('.bugcheck')).toContain('Bugcheck code 000000D1\nArguments 00000000`0000dead');
    expect(await kd.run('k')).toContain('mydriver!MyCrash+0x2');
  });

  test('a crashed guest that goes on restarts, with its kernel at another place', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.write('.crash\n');
    await kd.shows(/Fatal System Error: 0x000000e2/);
    await kd.shows(PROMPT);
    kd.write('g\n');
    await kd.shows(/Shutdown occurred at/);
    await kd.shows(/KDTARGET: Refreshing KD connection[\s\S]*Kernel base = 0xfffff803`12600000/);
    await guest.becomes('running');
    kd.interrupt();
    await kd.shows(/nt!DbgBreakPointWithStatus:\r\nfffff803`12610010/);
  });

  test('q leaves it frozen for the next debugger, qd lets it run', async () => {
    const guest = await startGuest();
    const first = await stoppedKd(guest);
    first.write('q\n');
    expect(await first.exited).toBe(0);
    expect(await guest.state()).toBe('frozen');
    const second = startKd(connectionOf(guest));
    await second.shows(/nt!DbgBreakPointWithStatus\+0x1:\r\n/);
    second.write('qd\n');
    expect(await second.exited).toBe(0);
    await guest.becomes('running');
  });
});

describe('the wire', () => {
  test.for(['2', '3', '5'])('speaks version %s of the protocol too', async (version) => {
    const kd = await stoppedKd(await startGuest({ args: ['--protocol', version] }));
    expect(await kd.run('? 1+1')).toContain('= 00000000`00000002');
  });

  test('may lose a tenth of its packets', async () => {
    const guest = await startGuest({ args: ['--loss', '10', '--seed', '4'] });
    const kd = startKd(connectionOf(guest));
    await kd.shows(/\.kdtargetmac command\.\r\n/);
    // The break request is one packet that nobody repeats: here it is repeated.
    const again = setInterval(() => kd.interrupt(), 1500);
    await kd.shows(PROMPT, 40_000).finally(() => clearInterval(again));
    expect((await kd.run('db nt L2000', 40_000)).split('\n')).toHaveLength(0x200 + 1);
  });
});
