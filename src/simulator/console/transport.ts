/** Opening what `-k` names: KDNET takes its UDP port exclusively; serial devices of some names cannot be opened. */
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import type { Target } from './options.ts';
import type { Scenario } from './scenarios.ts';

/** HRESULT E_FAIL and Win32 errors as kd's exit codes (kd-behaviour.md §1.5; engine.md §1). */
const E_FAIL = 0x80004005;
const NOT_FOUND = 0x80070002;
const ACCESS_DENIED = 0x80070005;
const INVALID_PARAMETER = 0x80070057;

export type Opened =
  | { readonly ok: true; readonly text: string; readonly close: () => void }
  | { readonly ok: false; readonly text: string; readonly exitCode: number };

const FAILED = 'Kernel debugger failed initialization, ';

/** Opens the transport and tells what kd prints about it. */
export async function openTransport(target: Target, scenario: Scenario): Promise<Opened> {
  const opened = (text: string, close = () => {}): Opened => ({ ok: true, text, close });
  switch (target.kind) {
    case 'net':
      return openPort(target.port, target.target, scenario.portBusy);
    case 'serial':
      return openDevice(target.device, target.reconnect);
    case 'tcp':
      if (target.port === 50999) return failure(`Failed to open ${target.host}\n`, E_FAIL);
      return opened(`Opened ${target.host}\n`);
    case 'usb':
      return opened('Using USB for debugging\n');
    case 'bad':
      return failure('', INVALID_PARAMETER);
    case 'dump': {
      const missing = target.files.find((f) => !existsSync(f));
      if (missing === undefined) return opened('');
      const text = `Could not open dump file [${missing}], Win32 error 0n2\n    "File not found."\n`;
      return { ok: false, text, exitCode: NOT_FOUND };
    }
    case 'local':
    case 'remote':
    case 'version':
      return opened('');
  }
}

function failure(before: string, exitCode: number): Opened {
  const win32 = exitCode & 0xffff;
  const reasons: Readonly<Record<number, string>> = {
    2: 'File not found.',
    5: 'Access is denied.',
    87: 'Invalid parameter.',
  };
  const isWin32 = (exitCode & 0x70000) !== 0;
  const code = isWin32 ? `Win32 error 0n${win32}` : `HRESULT 0x${exitCode.toString(16)}`;
  return {
    ok: false,
    text: `${before}${FAILED}${code}\n    "${isWin32 ? reasons[win32] : 'Call failed.'}"\n`,
    exitCode,
  };
}

/** Names stand for what a real machine would have: `com9` and `…nosuch` are missing, `com5` needs elevation. */
function openDevice(device: string, reconnect: boolean): Opened {
  if (/nosuch$/i.test(device)) {
    if (reconnect) return { ok: true, text: `Waiting for pipe ${device}\n`, close: () => {} };
    return failure(`Failed to open ${device}\n`, NOT_FOUND);
  }
  if (/com9$/i.test(device)) return failure(`Failed to open ${device}\n`, NOT_FOUND);
  if (/com5$/i.test(device)) return failure(`Failed to open ${device}\n`, ACCESS_DENIED);
  return { ok: true, text: `Opened ${device}\n`, close: () => {} };
}

/** What opening the transport prints at the start and again after each loss of the target; '' for serial. */
export function netText(target: string | undefined): string {
  return `Using NET for debugging\nOpened WinSock 2.0\n${target?.includes('.') ? 'Using IPv4 only.\n' : ''}`;
}

async function openPort(
  port: number | undefined,
  target: string | undefined,
  busy: boolean,
): Promise<Opened> {
  const head = netText(target);
  if (port === undefined || !(port > 0 && port < 65536)) return { ok: true, text: head, close: () => {} };
  const socket = createSocket({ type: 'udp4', reuseAddr: false });
  const bound = busy
    ? false
    : await new Promise<boolean>((resolve) => {
        socket.once('error', () => resolve(false));
        socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
      });
  if (bound) {
    socket.on('error', () => {});
    return { ok: true, text: head, close: () => socket.close() };
  }
  const inUse = `Port ${port} already in use by another process. Check for other running debugger instances and try again.\n`;
  return failure(
    `${head}${inUse}Failed to initialize IPv6 socket.  Error 0n-2147467259\nWill attempt to connect on IPv4 only.\n` +
      `${inUse}Failed to initialize IPv4 socket.  Error 0n-2147467259\n`,
    E_FAIL,
  );
}
