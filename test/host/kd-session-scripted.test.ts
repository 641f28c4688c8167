/** A session over a kd that misbehaves in ways a simulator of the real one does not. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, type Driven, drive, key } from './kd-session.ts';
import type { Act, Script } from './scripted-kd.ts';

const person = { kind: 'person', name: 'Minsu' } as const;
const program = path.join(import.meta.dirname, 'scripted-kd.ts');
const CONNECTED =
  'Connected to target 127.0.0.1 on port 50000 on local IP 127.0.0.1.\nConnected to Windows 10 19041 x64 target at (Thu Feb  6 13:33:54.647 2025 (UTC + 8:00)), ptr64 TRUE\nKernel Debugger connection established.\n';
const BOX =
  'Break instruction exception - code 80000003 (first chance)\n*   You are seeing this message because you pressed either                    *\nnt!DbgBreakPointWithStatus:\nfffff803`78806e40 cc              int     3\n';
/** At a prompt after a break. */
const STOPPED: readonly Act[] = [`Waiting to reconnect...\n${CONNECTED}${BOX}`];
/** A target that runs. */
const RUNS: readonly Act[] = [`Waiting to reconnect...\n${CONNECTED}`, 'run'];

let driven: Driven | undefined;
let read = (): readonly string[] => [];
let workdir = '';
afterEach(async () => {
  driven?.dispose();
  await driven?.session.exited;
  rmSync(workdir, { recursive: true, force: true });
});

function start(script: Script, options: Parameters<typeof drive>[1] = {}): Driven {
  workdir = mkdtempSync(path.join(tmpdir(), 'scripted-kd-'));
  const folder = workdir;
  read = () => readFileSync(path.join(folder, 'kd-read.log'), 'utf8').split('\n').slice(0, -1);
  driven = drive([], { program: [process.execPath, program, JSON.stringify(script)], workdir, ...options });
  return driven;
}

async function stopped(script: Omit<Script, 'start'>): Promise<Driven> {
  const kd = start({ start: STOPPED, ...script });
  await kd.until(({ state }) => state === 'broken');
  return kd;
}

describe('the end of a session', () => {
  it('does not claim that the guest was resumed when kd ignored qd', async () => {
    const kd = await stopped({ lines: { qd: ['hang'] } });
    const exit = await kd.session.quit('resume', agent);
    expect(exit).toMatchObject({ target: 'unknown' });
    expect(exit.reason).not.toContain('resumed');
  }, 30_000);

  it('is one for two who ask for it: no break is sent into the first one', async () => {
    const kd = await stopped({
      lines: { 'bc *': [{ wait: 200 }], qd: ['quit:\n', { wait: 200 }, { exit: 0 }] },
    });
    const exits = await Promise.all([
      kd.session.quit('resume', agent),
      kd.session.quit('leave_frozen', person),
    ]);
    expect(exits[0]).toEqual(exits[1]);
    expect(exits[0]).toMatchObject({ target: 'running', code: 0 });
    expect(read()).toEqual(['bc *', 'qd']);
  }, 30_000);

  it('takes no break while kd leaves: it would freeze the guest behind qd', async () => {
    const kd = await stopped({ lines: { qd: ['quit:\n', { wait: 300 }, { exit: 0 }] } });
    const quit = kd.session.quit('resume', agent);
    await kd.shows(/\{qd\}/);
    expect(await kd.session.breakIn(person, 5_000)).toEqual({ ok: false, reason: 'ended' });
    expect(() => kd.session.run('k', person)).toThrow(/ending/);
    expect(await quit).toMatchObject({ target: 'running' });
    expect(read()).not.toContain('<interrupt>');
  });

  it('comes also when a process that kd left behind holds its pipes', async () => {
    driven = drive([], { program: ['/bin/sh', '-c', 'sleep 60 & echo Waiting to reconnect...; exit 3'] });
    await driven.until(({ state }) => state === 'ended', 10_000);
    expect(driven.status.exit).toMatchObject({ code: 3 });
  });

  it('is final: what kd was saying when it went changes the state no more', async () => {
    const kd = start({
      start: [...RUNS.slice(0, 1), 'Shutdown occurred at (now)...\nWaiting to reconnect...', { exit: 0 }],
    });
    await kd.session.exited;
    const { state } = kd.status;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([state, kd.status.state]).toEqual(['ended', 'ended']);
  });

  it.each<[string, Omit<Script, 'start'>, string]>([
    ['a command', { lines: { k: ['Child-SP', { wait: 50 }, { exit: 5 }] } }, 'k'],
    ['a resuming command', { lines: { g: [{ exit: 5 }] } }, 'g'],
    ['a step', { lines: { p: [{ exit: 5 }] } }, 'p'],
  ])('settles %s', async (_what, script, command) => {
    const kd = await stopped(script);
    const { outcome } = await kd.session.run(command, agent).settled;
    // A kd that takes long to go has let the target run before.
    expect(outcome).toMatch(command === 'k' ? /^ended$/ : /^(ended|resumed)$/);
  });
});

describe('a break', () => {
  it('is sent at least once, however short the time is', async () => {
    const kd = await stopped({ lines: { g: ['run'] }, interrupts: [[BOX]] });
    expect(await kd.session.go(agent)).toEqual({ ok: true });
    expect(await kd.session.breakIn(agent, 0)).toEqual({ ok: false, reason: 'timeout' });
    await kd.until(({ state }) => state === 'broken');
    expect(kd.status).toMatchObject({ generation: 2, halt: { cause: agent } });
  });

  it('without an answer leaves the state that was; the stop that comes late is still its own', async () => {
    const kd = start({ start: RUNS, interrupts: [[{ wait: 1_000 }, BOX]] });
    await kd.until(({ state }) => state === 'running');
    const { since } = kd.status;
    const [first, second] = [kd.session.breakIn(agent, 50), kd.session.breakIn(person, 300)];
    expect(await first).toEqual({ ok: false, reason: 'timeout' });
    expect(kd.status.state).toBe('breaking');
    expect(await second).toEqual({ ok: false, reason: 'timeout' });
    expect(kd.status).toMatchObject({ state: 'running', since, unanswered: expect.any(Number) });
    await kd.until(({ state }) => state === 'broken');
    expect(kd.status).toMatchObject({ generation: 1, halt: { cause: person, event: { kind: 'break-in' } } });
    expect(kd.status.unanswered).toBeUndefined();
  });

  it('without an answer makes it unknown what the target does when kd ends', async () => {
    const kd = start({ start: RUNS });
    await kd.until(({ state }) => state === 'running');
    await kd.session.breakIn(agent, 50);
    kd.session.kill('gone');
    expect(await kd.session.exited).toMatchObject({ target: 'unknown' });
  });

  it('that comes while g is confirmed leaves the state at breaking', async () => {
    const kd = await stopped({ lines: { g: ['run'] }, interrupts: [[{ wait: 1_000 }, BOX]] });
    const going = kd.session.go(agent);
    const breaking = kd.session.breakIn(person, 10_000);
    expect(await going).toEqual({ ok: true });
    expect(kd.status.state).toBe('breaking');
    expect(await breaking).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ generation: 2, halt: { cause: person } });
  });

  it.each<[string, readonly Act[]]>([
    ['by an error', ["           ^ User interrupted operation error in '.echo KDMCP_'\n"]],
    ['without a word', []],
    ['with its blank line', ['\n']],
  ])('that cuts our own .echo short %s does not leave a command without its end', async (_how, cut) => {
    const kd = await stopped({ cutEcho: { after: 'k', print: cut } });
    expect(await kd.run('k')).toMatch(/^one\n/);
    expect(kd.status.state).toBe('broken');
    expect(await kd.run('.echo two')).toBe('two\n');
    expect(kd.transcript()).not.toMatch(/KDMCP_\w+\n/);
  });

  it('of a command that was interrupted is not owed afterwards', async () => {
    const kd = await stopped({
      lines: { loop: ['1\n', 'run'], g: ['run'], qd: [{ exit: 0 }] },
      interrupts: [["    ^ User interrupted operation error in 'loop'\n"], [BOX]],
    });
    const loop = kd.session.run('loop', agent);
    await kd.shows(/1\n/);
    expect(await kd.session.breakIn(agent, 5_000)).toEqual({ ok: true });
    expect(await loop.settled).toMatchObject({ outcome: 'interrupted' });
    await kd.session.go(agent);
    await kd.session.breakIn(agent, 5_000);
    await kd.session.quit('resume', agent);
    expect(read().filter((line) => line === 'g').length).toBe(1);
  });
});

describe('a serial line', () => {
  it('is asked again when it missed the break that was to stop its target at connect', async () => {
    const kd = start(
      {
        start: ['Opened \\\\.\\com1\nWaiting to reconnect...\n', 'run'],
        interrupts: [['run'], [`Kernel Debugger connection established.\n${BOX}`]],
      },
      { transport: 'com' },
    );
    await kd.until(({ state }) => state === 'waiting');
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ state: 'broken', breakOnConnect: false, halt: { cause: agent } });
  }, 20_000);
});

describe('a kd that says nothing', () => {
  it('answers no break, and ends when it is told to', async () => {
    const kd = start({ start: ['hang'] });
    expect(await kd.session.breakIn(agent, 200)).toEqual({ ok: false, reason: 'timeout' });
    expect(await kd.session.waitForStop(0, 50)).toEqual({ ok: false, reason: 'timeout' });
    const wait = kd.session.waitForStop(0, 60_000);
    expect(await kd.session.quit('resume', agent)).toMatchObject({ target: 'absent' });
    expect(await wait).toEqual({ ok: false, reason: 'ended' });
    expect(kd.status.state).toBe('ended');
  });
});

describe('a stop by an earlier request', () => {
  const owing = { interrupts: [[{ wait: 2_500 }, BOX]] as const };

  it.each(['p', 'gu', 'g nt!NtClose', '.echo x; g'])('after %s is reported, not resumed', async (command) => {
    const kd = start({ start: RUNS, ...owing, lines: { [command]: [{ wait: 50 }, BOX], g: ['run'] } });
    await kd.until(({ linked }) => linked);
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    await kd.session.run(command, agent).settled;
    await kd.until(({ generation }) => generation === 2);
    expect(kd.status.state).toBe('broken');
    expect(read()).not.toContain('g');
  });
});

describe('a question', () => {
  it('that a driver only printed is none as soon as the target goes on', async () => {
    const kd = start({
      start: [...RUNS.slice(0, 1), 'Input> ', { wait: 900 }, 'goes on\n', 'run'],
      interrupts: [[BOX]],
    });
    await kd.shows(/goes on/);
    expect(kd.status.state).toBe('running');
    expect(await kd.session.breakIn(agent, 10_000)).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ state: 'broken', generation: 1 });
    expect(read()).toEqual(['<interrupt>']);
  });

  it('that a driver only printed takes no empty line, which kd would answer by repeating its last command', async () => {
    const kd = await stopped({ lines: { g: ['Input> ', 'run'] }, interrupts: [[BOX]] });
    await kd.session.go(agent);
    await kd.until(({ state }) => state === 'asking');
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ state: 'broken', generation: 2 });
    expect(read().filter((line) => line === '' || line === 'g')).toEqual(['g']);
  }, 30_000);

  it('of the target that is answered by a break is a stop of its own', async () => {
    const kd = await stopped({
      lines: { g: ['Assertion\nBreak repeatedly, break Once, Ignore (boipt)? ', 'ask'] },
      answers: { b: [BOX] },
    });
    expect(await kd.session.go(agent)).toEqual({ ok: true });
    await kd.until(({ state }) => state === 'asking');
    expect(await kd.session.breakIn(person, 10_000)).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ state: 'broken', generation: 2, halt: { cause: person } });
  });

  it('may be answered by an empty line', async () => {
    const kd = await stopped({ lines: { '?': ['help\nHit Enter...', 'ask'] }, answers: { '': ['more\n'] } });
    expect(await kd.session.run('?', agent).settled).toEqual({ outcome: 'asking' });
    expect(await kd.session.answer('', agent).settled).toEqual({ outcome: 'done' });
    expect(kd.status).toMatchObject({ state: 'broken', generation: 1 });
  });
});

describe('words of the target and of commands', () => {
  it.each([
    'Kernel Debugger connection established.',
    '... Retry sending the same data packet for 64 times.',
    'Shutdown occurred at (now)',
    'Failed to initialize IPv4 socket.  Error 0n-2147467259',
    'Failed to open \\\\.\\com1',
    'Connected to target 6.6.6.6 on port 50000 on local IP 127.0.0.1.',
  ])('echoed at a prompt change nothing: %s', async (line) => {
    const kd = await stopped({});
    const { lastEvent, linked, target, notices } = kd.status;
    await kd.run(`.echo ${line}`);
    expect(kd.status).toMatchObject({ state: 'broken', lastEvent, linked, target });
    expect(kd.status.notices.filter(({ kind }) => kind !== 'link-trouble')).toEqual(notices);
  });

  it('printed by a guest that runs do not move it elsewhere nor explain the end of kd', async () => {
    const kd = start({
      start: [
        ...RUNS.slice(0, 1),
        'Failed to initialize IPv4 socket.  Error 0n-2147467259\n',
        'Connected to target 6.6.6.6 on port 50000 on local IP 127.0.0.1.\ndone\n',
        'run',
      ],
    });
    await kd.shows(/done/);
    expect(kd.status).toMatchObject({ state: 'running', target: { linkAddress: '127.0.0.1' }, notices: [] });
  });

  it('never carry the key into the status', async () => {
    const kd = start({
      start: [
        `Failed to open net:port=50000,key=${key}\nWindows 10 Kernel Version 19041 ${key} UP Free x64\n`,
        { exit: 2 },
      ],
    });
    await kd.session.exited;
    expect(JSON.stringify(kd.status)).not.toContain(key);
    expect(JSON.stringify(kd.status)).toContain('<redacted>');
  });

  it('of a branch that let the target run count as a new stop', async () => {
    const kd = await stopped({
      lines: { '.if (1) { g }': [{ wait: 50 }, 'Breakpoint 0 hit\nnt!NtClose:\n'] },
    });
    expect(await kd.session.run('.if (1) { g }', agent).settled).toMatchObject({ outcome: 'done' });
    expect(kd.status).toMatchObject({ generation: 2, lastEvent: { kind: 'breakpoint', number: 0 } });
  });
});
