/** Where the engine is, and ports for it that no other test uses. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { probeUdpPort } from '../../src/kd/udp-port.ts';

let installed = process.env.KD_ENGINE;

/** What install.sh made; run.mjs passes it on, other programs install by themselves. */
export function engineFolder(): string {
  installed ??= execFileSync('sh', [join(import.meta.dirname, 'install.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  return installed;
}

/** The engine as a kd.exe; `korean` is a host whose ANSI code page is 949. KD_EXE names a real one, on Windows. */
export function kdProgram(host: 'english' | 'korean' = 'english'): string {
  if (process.env.KD_EXE !== undefined && host === 'english') return process.env.KD_EXE;
  return join(engineFolder(), host === 'korean' ? 'kd-korean' : 'kd');
}

/** A dump of a Windows program. */
export function userDump(): string {
  return join(engineFolder(), 'user.dmp');
}

const FIRST_PORT = 51_100;
/** Ports of one worker; files run in several at a time. */
const SHARE = 200;
let next = 0;

/** A UDP port that nobody has. */
export async function freePort(): Promise<number> {
  const first = FIRST_PORT + SHARE * Number(process.env.VITEST_POOL_ID ?? 0);
  for (let tries = 0; tries < SHARE; tries++) {
    const port = first + (next++ % SHARE);
    if ((await probeUdpPort(port)).kind === 'free') return port;
  }
  throw new Error(`no UDP port from ${first} on is free`);
}
