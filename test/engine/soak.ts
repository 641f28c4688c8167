/**
 * The product over the engine for a long time on a bad network: `npm run soak:engine -- --minutes 30 --loss 5`.
 *
 * Each round: commands whose output is known to the letter, `g`, numbered DbgPrints, a break (or a breakpoint). Ends with
 * figures (docs/reliability.md) and a failure if a session, a line or a command was lost or swapped, or memory grew.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSessions } from '../../src/client/registry.ts';
import type { Session } from '../../src/client/sessions.ts';
import { CLI } from '../host/rig.ts';
import { kdProgram } from './engine.ts';
import { spawnGuest } from './wire-guest.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    loss: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});

/** Commands of one round. */
const COMMANDS = 40;
/** DbgPrints of one round. */
const TICKS = 10;
const GROWTH_MB = 15;
const BREAK_MS = 40_000;

const faults: string[] = [];
const check = (holds: boolean, what: string): void => {
  if (!holds) faults.push(what);
};

const home = mkdtempSync(join(tmpdir(), 'kd-soak-'));
const guest = await spawnGuest({ args: ['--loss', values.loss, '--seed', values.seed] });
const sessions = createSessions({
  home,
  identity: { kind: 'agent', name: 'soak' },
  program: { command: process.execPath, script: CLI },
  orphanGraceSec: 600,
});
const started = await sessions.start({
  connection: { transport: 'net', port: guest.port, key: guest.key },
  kd: [kdProgram()],
});
const session: Session = started.session;
const end = Date.now() + Number(values.minutes) * 60_000;
const breaks: number[] = [];
const commandTimes: number[] = [];
const memory: number[] = [];
let rounds = 0;
let commands = 0;
let ticks = 0;
let repeats = 0;
let cursor = 0;

try {
  await breakIn();
  await expectOutput('.reload', /Loading Kernel Symbols/);
  await expectOutput('bp mydriver!MyDispatch', /^$/);
  while (Date.now() < end && faults.length < 20 && session.connected) {
    rounds++;
    for (let n = 0; n < COMMANDS; n++) await oneCommand();
    await run();
    for (let n = 0; n < TICKS; n++) await guest.tell(`print soak ${++ticks}\\n`);
    if (rounds % 5 === 0) await hitBreakpoint();
    else await breakIn();
    await expectTicks();
    if (rounds % 20 === 0) sample();
  }
  sample();
  check(session.connected, 'the session was lost');
  const { guest: left, detail } = await session.stop('resume');
  check(left === 'running', `the guest was left ${left}: ${detail}`);
  check((await guest.state()) === 'running', 'the guest itself says that it does not run');
} catch (error) {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  report();
  await session.stop('resume').catch(() => {});
  sessions.dispose();
  await guest.end();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = faults.length === 0 ? 0 : 1;

async function oneCommand(): Promise<void> {
  const n = ++commands;
  switch (n % 4) {
    case 0:
      return expectOutput(`.printf "part ${n}"`, new RegExp(`^part ${n}\n$`));
    case 1:
      return expectOutput(`.echo line ${n}`, new RegExp(`^line ${n}\n$`));
    case 2:
      // Reads the target, over the bad network when it is not in the engine's cache.
      return expectOutput('db nt!NtBuildLab L10', /^\S+ {2}31 39 30 34 31 .* 19041\.1\.amd64fre\n$/);
    default:
      return expectOutput(`? 0n${n}`, new RegExp(`^Evaluate expression: ${n} = `));
  }
}

async function expectOutput(command: string, wanted: RegExp): Promise<void> {
  const before = performance.now();
  const { results } = await session.command([command], { timeoutMs: 45_000 });
  commandTimes.push(performance.now() - before);
  const [result] = results;
  if (result === undefined || result.outcome !== 'done') {
    faults.push(`${command}: ${result?.outcome} ${result?.error ?? ''}`);
    return;
  }
  const { text } = await session.read({ from: result.from, maxBytes: result.to - result.from || 1 });
  const output = result.to === result.from ? '' : text;
  check(wanted.test(output), `${command} printed ${JSON.stringify(output)}`);
}

async function run(): Promise<void> {
  cursor = session.info.transcriptEnd;
  const { outcome, error } = await session.go(0);
  check(outcome === 'done' || outcome === 'stopped-again', `g: ${outcome} ${error ?? ''}`);
  // kd has read the command, but the guest may get it late on this network; a halted guest prints nothing.
  await guest.becomes('running');
}

async function breakIn(): Promise<void> {
  const before = performance.now();
  const { outcome } = await session.breakIn(BREAK_MS);
  breaks.push(performance.now() - before);
  check(outcome === 'done' || outcome === 'already', `break: ${outcome}`);
}

async function hitBreakpoint(): Promise<void> {
  const { generation } = (await session.refresh()).status;
  await guest.tell('hit mydriver!MyDispatch');
  const { info } = await session.waitForBreak({ timeoutMs: BREAK_MS, generation });
  check(info.status.lastEvent?.kind === 'breakpoint', `breakpoint: ${info.status.lastEvent?.kind}`);
}

/**
 * What the guest printed in this round is in the transcript, in order. A line may stand twice in a row: the engine prints
 * a DbgPrint again whose acknowledgement was lost (docs/engine-facts.md).
 */
async function expectTicks(): Promise<void> {
  let text = '';
  for (let from = cursor; ; ) {
    const piece = await session.read({ from, maxBytes: 60_000 });
    text += piece.text;
    if (piece.to >= piece.end || piece.to === from) break;
    from = piece.to;
  }
  const printed = [...text.matchAll(/^soak (\d+)$/gm)].map((match) => Number(match[1]));
  const seen = printed.filter((tick, index) => tick !== printed[index - 1]);
  repeats += printed.length - seen.length;
  const wanted = Array.from({ length: TICKS }, (_, n) => ticks - TICKS + 1 + n);
  check(seen.join() === wanted.join(), `DbgPrint: wanted ${wanted.join()}, saw ${seen.join()}`);
}

function sample(): void {
  const status = readFileSync(`/proc/${session.info.hostPid}/status`, 'utf8');
  memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function report(): void {
  const [first, last] = [memory[0] ?? 0, memory.at(-1) ?? 0];
  check(last - first <= GROWTH_MB, `the host grew by ${(last - first).toFixed(0)} MB`);
  const median = (list: number[]): string =>
    ([...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0).toFixed(1);
  const most = (list: number[]): string => list.reduce((a, b) => Math.max(a, b), 0).toFixed(0);
  process.stdout.write(
    [
      `${values.minutes} minutes, ${values.loss} % of all packets lost, seed ${values.seed}`,
      `rounds ${rounds}, commands ${commands}, DbgPrint lines ${ticks} (${repeats} printed twice), breaks ${breaks.length}`,
      `command: median ${median(commandTimes)} ms, longest ${most(commandTimes)} ms`,
      `break to prompt: median ${median(breaks)} ms, longest ${most(breaks)} ms`,
      `host memory: ${first.toFixed(0)} MB at first, ${last.toFixed(0)} MB at the end, at most ${most(memory)} MB`,
      `faults: ${faults.length}`,
      ...faults.slice(0, 20).map((fault) => `  ${fault}`),
      '',
    ].join('\n'),
  );
}
