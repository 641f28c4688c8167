/** The simulated guest on KDNET, as a process that a real debugger attaches to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '../host/rig.ts';
import { freePort } from './engine.ts';

export const KEY = '2steg4fzbj2sz.23418vzkd4ko3.1g34ou07z4pev.1sp3yo9yz874p';

export interface Guest {
  readonly port: number;
  readonly key: string;
  /** A line for the guest; resolves with its answer. */
  readonly tell: (line: string) => Promise<string>;
  /** `running`, `frozen` or `off`. */
  readonly state: () => Promise<string>;
  /** Waits for a state. */
  readonly becomes: (state: string) => Promise<void>;
  /** It loses power. */
  readonly end: () => Promise<void>;
}

export interface GuestOptions {
  readonly port?: number;
  /** The key the guest has; default {@link KEY}. */
  readonly key?: string;
  readonly args?: readonly string[];
}

const PROGRAM = join(import.meta.dirname, '../../src/simulator/main.ts');

/** Starts a guest that offers itself to a debugger on this machine. */
export async function spawnGuest(options: GuestOptions = {}): Promise<Guest> {
  const folder = mkdtempSync(join(tmpdir(), 'kd-guest-'));
  const control =
    process.platform === 'win32' ? `\\\\.\\pipe\\${basename(folder)}` : join(folder, 'control.sock');
  const port = options.port ?? (await freePort());
  const key = options.key ?? KEY;
  const args = [
    '--wire',
    '--port',
    String(port),
    '--key',
    key,
    '--control',
    control,
    ...(options.args ?? []),
  ];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const end = async (): Promise<void> => {
    await killed(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const tell = (line: string): Promise<string> => ask(control, line, child);
  const state = async (): Promise<string> => String(JSON.parse(await tell('state')).state);
  return {
    port,
    key,
    tell,
    state,
    becomes: (wanted) => until(`the guest is ${wanted}`, async () => (await state()) === wanted),
    end,
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** One line to the guest's control socket, as soon as it listens. */
async function ask(control: string, line: string, child: ChildProcess): Promise<string> {
  for (;;) {
    const answer = await askOnce(control, line);
    if (answer !== undefined) return answer;
    if (child.exitCode !== null) throw new Error(`the guest has ended (${child.exitCode})`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function askOnce(control: string, line: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(control);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString();
      if (answer.includes('\n')) socket.end();
    });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(answer.trim()));
    socket.write(`${line}\n`);
  });
}
