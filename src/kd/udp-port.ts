/**
 * Can kd have a UDP port? It takes it exclusively, on all addresses, and its own message is the same whatever is wrong
 * (kd-behaviour.md §2.4). Three verdicts need three different pieces of advice (field-reports.md 5).
 */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { execa } from 'execa';

export type PortVerdict =
  | { readonly kind: 'free' }
  /** Some process has it; which one is known only where the system tells. */
  | { readonly kind: 'held'; readonly pid?: number; readonly program?: string }
  /** In a block that Windows reserves (Hyper-V, WinNAT): nobody has it, and nobody can. */
  | { readonly kind: 'reserved'; readonly first: number; readonly last: number }
  | { readonly kind: 'denied' };

/** What the verdict needs from the system; replaced in tests. */
export interface PortProbe {
  /** Tries to take the port on an address; gives the error code, or undefined if it could be had. */
  readonly bind: (port: number, address: string) => Promise<string | undefined>;
  /** Output of a system command, '' if it cannot be run. */
  readonly output: (command: string, args: readonly string[]) => Promise<string>;
  readonly platform: NodeJS.Platform;
}

/** Tries the port and gives it back at once. */
export async function probeUdpPort(port: number, probe: PortProbe = systemProbe): Promise<PortVerdict> {
  for (const address of addresses()) {
    const code = await probe.bind(port, address);
    if (code === 'EADDRINUSE') return holder(port, probe);
    if (code === 'EACCES') return denial(port, probe);
  }
  return { kind: 'free' };
}

/** What to do about it, as a sentence. */
export function portAdvice(port: number, verdict: PortVerdict): string {
  switch (verdict.kind) {
    case 'free':
      return `UDP port ${port} is free.`;
    case 'held': {
      const who =
        verdict.pid === undefined
          ? 'another process'
          : `${verdict.program ?? 'process'} (pid ${verdict.pid})`;
      return `UDP port ${port} is held by ${who}. End that debugger, or use another port on host and guest.`;
    }
    case 'reserved':
      return `UDP port ${port} lies in the range ${verdict.first}–${verdict.last} that Windows reserves (Hyper-V, WinNAT); no program holds it. Use another port on host and guest, or exclude this one as administrator: netsh int ipv4 add excludedportrange protocol=udp startport=${port} numberofports=1.`;
    case 'denied':
      return `This account may not open UDP port ${port}. Use another port on host and guest, or look at the security software.`;
  }
}

/**
 * The wildcard address, then each of this machine's: on Windows a socket without exclusive use can be bound to the
 * wildcard although another program has the port on one address.
 */
function addresses(): readonly string[] {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return ['0.0.0.0', ...new Set(own.filter((one) => one.family === 'IPv4').map((one) => one.address))];
}

async function holder(port: number, probe: PortProbe): Promise<PortVerdict> {
  if (probe.platform === 'win32') {
    const pid = holderInNetstat(await probe.output('netstat', ['-ano', '-p', 'UDP']), port);
    if (pid === undefined) return { kind: 'held' };
    const list = await probe.output('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']);
    const program = /^"([^"]+)"/m.exec(list)?.[1];
    return { kind: 'held', pid, ...(program === undefined ? {} : { program }) };
  }
  return { kind: 'held', ...holderInSs(await probe.output('ss', ['-H', '-u', '-l', '-n', '-p']), port) };
}

async function denial(port: number, probe: PortProbe): Promise<PortVerdict> {
  if (probe.platform !== 'win32') return { kind: 'denied' };
  const args = ['int', 'ipv4', 'show', 'excludedportrange', 'protocol=udp'];
  const range = excludedRange(await probe.output('netsh', args), port);
  return range === undefined ? { kind: 'denied' } : { kind: 'reserved', ...range };
}

/** `  UDP    0.0.0.0:50000          *:*                                    1234`, in any language. */
export function holderInNetstat(output: string, port: number): number | undefined {
  for (const line of output.split('\n')) {
    const match = /^\s*UDP\s+\S+:(\d+)\s+\S+\s+(\d+)\s*$/i.exec(line);
    if (match && Number(match[1]) === port) return Number(match[2]);
  }
  return undefined;
}

/** `UNCONN 0 0 0.0.0.0:50000 0.0.0.0:* users:(("kd",pid=12,fd=3))`; the end only for one's own processes. */
export function holderInSs(output: string, port: number): { pid?: number; program?: string } {
  for (const line of output.split('\n')) {
    if (!new RegExp(`[:\\]]${port}\\s`).test(line)) continue;
    const match = /\(\("([^"]+)",pid=(\d+)/.exec(line);
    if (match?.[1] !== undefined) return { program: match[1], pid: Number(match[2]) };
  }
  return {};
}

/** Lines of two numbers, `50000       50059`, perhaps with a `*` behind. */
export function excludedRange(output: string, port: number): { first: number; last: number } | undefined {
  for (const match of output.matchAll(/^\s*(\d+)\s+(\d+)\s*\*?\s*$/gm)) {
    const [first, last] = [Number(match[1]), Number(match[2])];
    if (first <= port && port <= last) return { first, last };
  }
  return undefined;
}

const systemProbe: PortProbe = {
  bind: (port, address) =>
    new Promise((resolve) => {
      const socket = createSocket({ type: 'udp4', reuseAddr: false });
      socket.once('error', (error) => {
        socket.close();
        resolve('code' in error && typeof error.code === 'string' ? error.code : 'unknown');
      });
      socket.bind({ port, address, exclusive: true }, () => socket.close(() => resolve(undefined)));
    }),
  output: async (command, args) => {
    const result = await execa(command, args, {
      reject: false,
      timeout: 5_000,
      windowsHide: true,
      stdin: 'ignore',
    });
    return typeof result.stdout === 'string' ? result.stdout : '';
  },
  platform: process.platform,
};
