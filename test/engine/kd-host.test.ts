/** The console program on the engine behaves on its pipes as kd.exe is documented to. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort, userDump } from './engine.ts';
import { startGuest } from './guest.ts';
import { PROMPT, startKd, stoppedKd } from './kd.ts';

const CTRL_B = '\x02\n';
const CTRL_F = '\x06\n';

describe('a start', () => {
  test('prints the banner of the engine and waits', async () => {
    const kd = startKd(['-k', `net:port=${await freePort()},key=1.2.3.4`]);
    await kd.shows(/\r\nMicrosoft \(R\) Windows Debugger Version 10\.0\.\d+\.\d+ AMD64\r\n/);
    await kd.shows(/\r\nUsing NET for debugging\r\nOpened WinSock 2\.0\r\nWaiting to reconnect\.\.\.\r\n/);
  });

  test('of the local kernel is refused with the reason and an exit code', async () => {
    const kd = startKd(['-kl']);
    await kd.shows(/The system does not support local kernel debugging\./);
    expect(await kd.exited).not.toBe(0);
  });

  test('with a transport nobody knows ends with the code of the error', async () => {
    const kd = startKd(['-k', 'foo:bar']);
    await kd.shows(/Kernel debugger failed initialization, Win32 error 0n87\r\n {4}"Invalid parameter\."/);
    expect(await kd.exited).toBe(87);
  });

  test('says the version of the engine', async () => {
    const kd = startKd(['-version']);
    await kd.shows(/^kd version 10\.0\.\d+\.\d+\r\n/);
    expect(await kd.exited).toBe(0);
  });

  test('with -bonc stops the guest as soon as it connects, and -c runs at the first prompt', async () => {
    const guest = await startGuest();
    const kd = startKd([
      '-bonc',
      '-c',
      '.echo first; r rip',
      '-k',
      `net:port=${guest.port},key=${guest.key}`,
    ]);
    await kd.shows(/Kernel Debugger connection established\. {2}\(Initial Breakpoint requested\)\r\n/);
    await kd.shows(/kd> kd: Reading initial command '\.echo first; r rip'\r\nfirst\r\nrip=[0-9a-f]{16}\r\n/);
    await kd.shows(PROMPT);
  });
});

describe('at a prompt', () => {
  test('there is no newline after it, no echo, and one prompt per line read', async () => {
    const kd = await stoppedKd(await startGuest());
    kd.write('.echo one\n.echo two\n');
    await kd.shows(/^one\r\n(\d: kd> )two\r\n\1$/);
  });

  test('an empty line repeats the last command', async () => {
    const kd = await stoppedKd(await startGuest());
    kd.write('.echo again\n\n');
    await kd.shows(/^again\r\n0: kd> again\r\n0: kd> $/);
  });

  test('a line of more than 4096 characters is two commands', async () => {
    const kd = await stoppedKd(await startGuest());
    kd.write(`.echo ${'a'.repeat(4090)}.echo second\n`);
    await kd.shows(/^a{4090}\r\n0: kd> second\r\n0: kd> $/);
  });

  test('the end of the input ends it', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.closeInput();
    expect(await kd.exited).toBe(0);
    expect(await guest.state()).toBe('frozen');
  });

  test('a command that asks takes the next line as its answer', async () => {
    const kd = await stoppedKd(await startGuest());
    kd.write('eb rsp\n');
    await kd.shows(/^[0-9a-f`]+ [0-9a-f]{2} $/);
    kd.write('41\n');
    await kd.shows(/[0-9a-f`]+ [0-9a-f]{2} $/);
    kd.write('\n');
    await kd.shows(PROMPT);
    expect(await kd.run('db rsp L1')).toMatch(/ {2}41 /);
  });

  test('.shell is refused with -noshell', async () => {
    const kd = await stoppedKd(await startGuest(), ['-noshell']);
    expect(await kd.run('.shell echo hello')).toMatch(/disabled|not allowed|\^/i);
  });

  test('-logo writes what is said to a file', async () => {
    const kd = await stoppedKd(await startGuest(), ['-logo', 'kd.log']);
    await kd.run('.echo into the log');
    expect(existsSync(join(kd.folder, 'kd.log'))).toBe(true);
    expect(readFileSync(join(kd.folder, 'kd.log'), 'latin1')).toMatch(
      /kd> \.echo into the log\s+into the log\s/,
    );
  });
});

describe('while the guest runs', () => {
  test('lines wait for the next stop, and are then run in order', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.write('g\n.echo after\n.echo that\n');
    await guest.becomes('running');
    expect(kd.text()).not.toMatch(/after\r/);
    kd.interrupt();
    await kd.shows(/Break instruction exception[\s\S]*int {5}3\r\n0: kd> after\r\n0: kd> that\r\n0: kd> $/);
  });

  test('Ctrl+F on stdin stops it at once, also behind lines that wait', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.write('g\n.echo after\n');
    await guest.becomes('running');
    kd.write(CTRL_F);
    await kd.shows(/Break instruction exception[\s\S]*int {5}3\r\n0: kd> after\r\n0: kd> $/);
  });

  test('Ctrl+B on stdin ends kd at once and leaves the guest running', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.write('g\n');
    await guest.becomes('running');
    kd.write(CTRL_B);
    expect(await kd.exited).toBe(0);
    expect(await guest.state()).toBe('running');
  });
});

describe('the end', () => {
  test('qd lets the guest run: quit:, exit code 0', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.write('qd\n');
    await kd.shows(/^quit:\r\n$/);
    expect(await kd.exited).toBe(0);
    expect(await guest.state()).toBe('running');
  });

  test('q leaves the guest frozen', async () => {
    const guest = await startGuest();
    const kd = await stoppedKd(guest);
    kd.write('q\n');
    expect(await kd.exited).toBe(0);
    expect(await guest.state()).toBe('frozen');
  });
});

test('of several dumps the current one stands before the prompt, and `g` goes on to the next', async () => {
  const kd = startKd(['-z', userDump(), '-z', userDump()]);
  await kd.shows(/\r\n\|\|0:0:000> $/);
  kd.write('g\n');
  await kd.shows(/\r\n\|\|1:1:001> $/);
  kd.write('p\n');
  await kd.shows(/\^ No runnable debuggees error in 'p'\r\n\|\|1:1:001> $/);
});
