/**
 * A guest in a folder that somebody else has set up: `DIR/kd` is the engine as a program, `DIR/kdtarget.mjs` a target on
 * KDNET that takes `print`, `bp` and `tick` on its stdin. The product knows nothing of either.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newKdnetKey } from '../../src/demo/connection.ts';
import type { CallTool, Guest } from '../../src/demo/guest.ts';
import { freePort } from './engine.ts';

/** Waits of one second for a sign of life. */
const PATIENCE = 20;

/** @throws when the folder lacks one of them. */
export async function rigGuest(folder: string): Promise<Guest> {
  const kdExe = join(folder, 'kd');
  const program = join(folder, 'kdtarget.mjs');
  for (const needed of [kdExe, program]) {
    if (!existsSync(needed)) throw new Error(`${needed} is missing: name the folder that holds the engine.`);
  }
  const port = await freePort();
  const key = newKdnetKey();
  const target = spawn(process.execPath, [program, '--net', String(port), '--key', key], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await once(target, 'spawn');
  const tell = async (line: string): Promise<void> => {
    if (target.exitCode !== null) throw new Error(`The guest has ended (${target.exitCode}).`);
    target.stdin.write(`${line}\n`);
  };
  return {
    description: 'Microsoft’s own engine on KDNET; its guest is a program that speaks the protocol of one.',
    kdExe,
    host: '127.0.0.1',
    port,
    key,
    hasWinrm: false,
    longCommand: 'db nt L2000',
    print: (text) => tell(`print ${text.replaceAll('\n', '\\n')}`),
    execute: (symbol) => tell(`bp ${symbol}`),
    proveRunning: (call) => proveRunning(call, tell),
    dispose: () => end(target),
  };
}

/** A new kd finds a guest that ticks, which it does only while it runs; a frozen one would show its stop instead. */
async function proveRunning(call: CallTool, tell: (line: string) => Promise<void>): Promise<string> {
  await call('start_from_state', {});
  await tell('tick 100');
  try {
    for (let second = 0; second < PATIENCE; second++) {
      const { text } = await call('wait_for_break', { timeout_sec: 1 });
      if (/ · broken \(/.test(text)) throw new Error(`The guest was left frozen: ${text}`);
      const ticks = await call('read_output', { grep: '^tick \\d+', from: 0 });
      if (/^tick \d+/m.test(ticks.text)) return 'A new kd on the same connection sees it tick: it runs.';
    }
    throw new Error(`A new kd saw no sign of life of the guest in ${PATIENCE} s.`);
  } finally {
    await tell('tick off');
    await call('stop_kd', {});
  }
}

async function end(target: ChildProcess): Promise<void> {
  if (target.exitCode !== null || target.signalCode !== null) return;
  const gone = once(target, 'exit');
  target.kill('SIGKILL');
  await gone;
}
