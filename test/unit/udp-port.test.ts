import { createSocket } from 'node:dgram';
import { describe, expect, it } from 'vitest';
import {
  excludedRange,
  holderInNetstat,
  holderInSs,
  type PortProbe,
  portAdvice,
  probeUdpPort,
} from '../../src/kd/udp-port.ts';

const NETSTAT = `
Active Connections

  Proto  Local Address          Foreign Address        State           PID
  UDP    0.0.0.0:5000           *:*                                    11
  UDP    0.0.0.0:50000          *:*                                    4321
  UDP    [::]:50000             *:*                                    4321
`;
const EXCLUDED = `
Protocol udp Port Exclusion Ranges

Start Port    End Port
----------    --------
     49900       49999
     50000       50059     *

* - Administered port exclusions.
`;

function windows(code: string | undefined, outputs: Readonly<Record<string, string>> = {}): PortProbe {
  return { platform: 'win32', bind: async () => code, output: async (command) => outputs[command] ?? '' };
}

describe('a UDP port', () => {
  it('that is free is free', async () => {
    expect(await probeUdpPort(50000, windows(undefined))).toEqual({ kind: 'free' });
  });

  it('that is held names who has it', async () => {
    const outputs = { netstat: NETSTAT, tasklist: '"windbg.exe","4321","Console","1","90 K"\r\n' };
    const verdict = await probeUdpPort(50000, windows('EADDRINUSE', outputs));
    expect(verdict).toEqual({ kind: 'held', pid: 4321, program: 'windbg.exe' });
    expect(portAdvice(50000, verdict)).toContain('held by windbg.exe (pid 4321)');
  });

  it('in a reserved range is not blamed on another debugger', async () => {
    const verdict = await probeUdpPort(50010, windows('EACCES', { netsh: EXCLUDED }));
    expect(verdict).toEqual({ kind: 'reserved', first: 50000, last: 50059 });
    const advice = portAdvice(50010, verdict);
    expect(advice).toMatch(/range 50000–50059 .*host and guest/);
    expect(advice).not.toMatch(/End that debugger/);
  });

  it('that may not be opened for another reason is denied', async () => {
    expect(await probeUdpPort(50100, windows('EACCES', { netsh: EXCLUDED }))).toEqual({ kind: 'denied' });
  });

  it('is found held on this machine, also when it is bound to one address only', async () => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const { port } = socket.address();
    expect((await probeUdpPort(port)).kind).toBe('held');
    await new Promise<void>((resolve) => socket.close(resolve));
    expect(await probeUdpPort(port)).toEqual({ kind: 'free' });
  });
});

describe('what the system prints about ports', () => {
  it('is read whatever its language', () => {
    expect(holderInNetstat(NETSTAT, 50000)).toBe(4321);
    expect(holderInNetstat(NETSTAT, 500)).toBeUndefined();
    expect(excludedRange(EXCLUDED, 49950)).toEqual({ first: 49900, last: 49999 });
    expect(excludedRange('시작 포트    끝 포트\r\n  50000  50001\r\n', 50001)).toEqual({
      first: 50000,
      last: 50001,
    });
    const line = 'UNCONN 0 0 0.0.0.0:50000 0.0.0.0:* users:(("kd",pid=12,fd=3))\n';
    expect(holderInSs(line, 50000)).toEqual({ program: 'kd', pid: 12 });
    expect(holderInSs(line, 5000)).toEqual({});
  });
});
