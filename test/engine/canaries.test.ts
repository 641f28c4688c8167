/**
 * The policy does not certify itself: lines that it lets pass are run on the real engine, and nothing may come of the
 * forbidden commands in them: no file, no program, no listening pipe or port, no change of the target.
 */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import corpus from '../fixtures/policy/corpus.json' with { type: 'json' };
import { passing, quick } from './canary-lines.ts';
import { userDump } from './engine.ts';
import { type Kd, startKd, stoppedKd } from './kd.ts';
import { type Guest, spawnGuest } from './wire-guest.ts';

const SAMPLE = Number(process.env.KD_CANARIES ?? 2000);
/** The same lines in every run, so that a failure is about the change; KD_SEED looks at others. */
const SEED = Number(process.env.KD_SEED ?? 1);
const AT_ONCE = 200;
const PATIENCE = { timeout: 1_800_000 };
const PORT = 51_990;
const OPENS_FILE = '.logopen canary';
const FOR_HOST = [
  OPENS_FILE,
  `.server tcp:port=${PORT}`,
  '.server npipe:pipe=canary',
  '.create notepad.exe',
  '.shell x',
];
const FOR_TARGET = [
  'eb @rsp 41',
  'f @rsp L1 41',
  'r rax=41',
  'wrmsr 10 41',
  'bp nt!DbgBreakPoint',
  'sxe ud',
  'g',
];

test(
  'no line that passes does anything on the host with the command that stands in it',
  PATIENCE,
  async () => {
    const program = shellThatLeavesATrace();
    const kd = startKd(['-z', `Z:${userDump()}`]);
    await kd.shows(/0:000> $/, 60_000);
    const known = corpus.filter((group) => group.needs === 'inspect').flatMap((group) => group.lines);
    await runAll(
      kd,
      [...passing(FOR_HOST, 'debug', SAMPLE, SEED).lines, ...known.filter(quick)],
      async () => {
        expect(await changesOfHost(kd, program)).toEqual([]);
      },
    );
    // The canaries can sing.
    const control: readonly (readonly [string, RegExp])[] = [
      [`${OPENS_FILE}-itself\n.logclose`, /file canary-itself/],
      [`.server tcp:port=${PORT}`, /port 51990.*server tcp/],
      ['.server npipe:pipe=canary', /server npipe/],
      ['.create notepad.exe\n|', /program notepad/],
    ];
    for (const [line, song] of control) {
      kd.write(`${line}\n`);
      await expect.poll(async () => (await changesOfHost(kd, program)).join()).toMatch(song);
    }
    kd.write('.shell x\n');
    await expect.poll(() => readdirSync(program.folder)).toContain('ran');
  },
);

test(
  'no line that passes at inspect changes the target with the command that stands in it',
  PATIENCE,
  async () => {
    const guest = await spawnGuest();
    onTestFinished(guest.end);
    const kd = await stoppedKd(guest);
    const { lines } = passing(FOR_TARGET, 'inspect', SAMPLE, SEED);
    const before = await stateOfTarget(kd, guest);
    await runAll(kd, lines, async () => expect(await stateOfTarget(kd, guest)).toEqual(before));
    for (const line of FOR_TARGET) {
      const earlier = await stateOfTarget(kd, guest);
      // The breakpoint is where the guest comes by: it does not run away.
      kd.write(line === 'g' ? 'g nt!KiIdleLoop\n' : `${line}\n`);
      await expect.poll(() => stateOfTarget(kd, guest), { timeout: 10_000 }).not.toEqual(earlier);
    }
  },
);

/** Runs lines, some at once, and looks behind each lot. */
async function runAll(kd: Kd, lines: readonly string[], look: () => Promise<void>): Promise<void> {
  for (let from = 0; from < lines.length; from += AT_ONCE) {
    const part = lines.slice(from, from + AT_ONCE);
    kd.write(`${part.join('\n')}\n.echo\n.echo --to-${from}--\n`);
    try {
      await kd.shows(new RegExp(`> --to-${from}--\\r\\n`), 60_000);
      await look();
    } catch (cause) {
      throw new Error(`one of these lines did it:\n${part.join('\n')}`, { cause });
    }
  }
}

interface Trace {
  readonly folder: string;
}

/** What `.shell` starts on Wine: a program that leaves a file behind. */
function shellThatLeavesATrace(): Trace {
  const folder = mkdtempSync(join(tmpdir(), 'kd-canary-'));
  const path = join(folder, 'shell');
  writeFileSync(path, `#!/bin/sh\n: >'${join(folder, 'ran')}'\n`);
  chmodSync(path, 0o700);
  const before = process.env.SHELL;
  process.env.SHELL = path;
  onTestFinished(() => {
    process.env.SHELL = before;
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder };
}

async function changesOfHost(kd: Kd, program: Trace): Promise<readonly string[]> {
  kd.write('.servers\n.echo --servers--\n');
  const [servers = ''] = await kd.shows(/[\s\S]*> --servers--\r\n/);
  return [
    ...readdirSync(kd.folder).map((file) => `file ${file}`),
    ...readdirSync(program.folder)
      .filter((file) => file !== 'shell')
      .map(() => 'program of .shell'),
    ...programsIn(kd.folder, kd.pid).map((command) => `program ${command}`),
    ...(listens(PORT) ? [`port ${PORT}`] : []),
    ...[...servers.matchAll(/-remote (\w+):/g)].map(([, kind]) => `server ${kind}`),
  ];
}

/** Programs inherit the working folder of kd, which only kd has. */
function programsIn(folder: string, kd: number): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === kd) return [];
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== folder) return [];
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
    } catch {
      // It has ended, or is somebody else's.
      return [];
    }
  });
}

function listens(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((table) =>
    readFileSync(table, 'utf8')
      .split('\n')
      .some((row) => {
        const [, address = '', , state] = row.trim().split(/\s+/);
        return state === '0A' && address.endsWith(local);
      }),
  );
}

/** Requests that change the guest, and what kd holds back until it runs: registers, breakpoints, filters. */
async function stateOfTarget(kd: Kd, guest: Guest): Promise<unknown> {
  const { state, requests } = JSON.parse(await guest.tell('state'));
  const changing = Object.entries(requests).filter(([kind]) =>
    /write|set|fill|continue|reboot|cause/.test(kind),
  );
  if (state !== 'frozen') return { state };
  await kd.run('.cxr; ~0s');
  return { state, changing, held: [await kd.run('r'), await kd.run('bl'), await kd.run('sx')] };
}
