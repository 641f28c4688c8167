/** What `configure_kdnet()` of WinRM-MCP leaves: a port, a key, and the state file that holds them. */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { probeUdpPort } from '../kd/udp-port.ts';
import { STATE_SCHEMA, type StateFile } from '../state-file/schema.ts';
import type { Guest } from './guest.ts';

/** The first free UDP port from `first` on. */
export async function freeKdnetPort(first: number): Promise<number> {
  for (let port = first; port < first + 100; port++) {
    if ((await probeUdpPort(port)).kind === 'free') return port;
  }
  throw new Error(`No UDP port from ${first} to ${first + 99} is free.`);
}

/** Four 64-bit numbers in base 36, as kdnet.exe makes them. */
export function newKdnetKey(): string {
  return [0, 1, 2, 3].map(() => randomBytes(8).readBigUInt64BE().toString(36)).join('.');
}

/** Written under another name first: whoever watches sees it whole. */
export function writeStateFile(path: string, guest: Guest): StateFile {
  const state: StateFile = {
    schema: STATE_SCHEMA,
    guest_host: guest.host,
    host_ip: '127.0.0.1',
    port: guest.port,
    key: guest.key,
    created_by: 'configure_kdnet',
    created_at_unix: Math.floor(Date.now() / 1000),
  };
  writeFileSync(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return state;
}
