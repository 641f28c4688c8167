/** The two that must agree: the console simulator with its guest, and the engine attached to the guest on the wire. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ask, simulator } from '../../host/kd-session.ts';
import { until } from '../../host/rig.ts';
import { freePort } from '../engine.ts';
import { KEY, startGuest } from '../guest.ts';
import { type Kd, PROMPT, startKd, startProgram } from '../kd.ts';
import { nameOf, type Script, type Step } from './scripts.ts';

/** A kd whose guest is halted at its first prompt. */
export interface Side {
  readonly kd: Kd;
  readonly guest: (line: string) => Promise<string>;
}

export async function engineSide(): Promise<Side> {
  const guest = await startGuest();
  const kd = startKd(['-noshell', '-k', `net:port=${guest.port},key=${guest.key}`]);
  return { kd, guest: guest.tell };
}

export async function simulatorSide(): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'kd-side-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const control = join(folder, 'control.sock');
  const port = await freePort();
  const kd = startProgram(
    [process.execPath, simulator, '--control', control],
    ['-noshell', '-k', `net:port=${port},key=${KEY}`],
  );
  return { kd, guest: (line) => ask(control, line) };
}

/** What a step printed. */
export interface Block {
  readonly step: string;
  readonly text: string;
}

/** Runs a script: the first block is the connection, then one per step. */
export async function play({ kd, guest }: Side, script: Script): Promise<readonly Block[]> {
  await kd.shows(/\.kdtargetmac command\.\r\n/);
  kd.interrupt();
  await kd.shows(PROMPT);
  const blocks: Block[] = [{ step: 'connect', text: kd.text() }];
  const times = new Map<string, number>();
  for (const step of script.steps) {
    const name = nameOf(step);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    const text = await perform(step, kd, guest);
    blocks.push({ step: time === 1 ? name : `${name} (${time})`, text });
  }
  return blocks;
}

async function perform(step: Step, kd: Kd, guest: Side['guest']): Promise<string> {
  if (typeof step === 'string') return kd.run(step);
  const from = kd.text().length;
  kd.write(`${step.resume}\n`);
  for (const cause of step.until) {
    if (cause === 'link') {
      await kd.shows(/Kernel Debugger connection established\.[\s\S]*System Uptime: .*\r\n/);
      continue;
    }
    await until('the guest runs', async () => JSON.parse(await guest('state')).state === 'running');
    if (cause === 'Ctrl+C') kd.interrupt();
    else expect(await guest(cause)).toBe('ok');
  }
  await kd.shows(PROMPT);
  return kd.text().slice(from).replaceAll('\r\n', '\n');
}
