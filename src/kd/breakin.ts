/**
 * The ways to ask a running kd to stop its target, strongest first (design.md §3).
 *
 * A rung only sends. Whether the target stopped is for the caller to see; then it climbs to the next rung.
 */
import { attachConsole, consoleMayFollow, leaveConsole, sendCtrl } from './win32-console.ts';
import { describeFailure, type Win32Result } from './win32-library.ts';

/** `ctrl-c` is SIGINT where there is no Windows. `byte-06` is Ctrl+F and Enter on stdin (kd-behaviour.md §5.2). */
export type BreakRung = 'ctrl-break' | 'ctrl-c' | 'byte-06';

export type BreakSent = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** What a breaker needs of kd's process. */
export interface BreakTarget {
  readonly pid: number;
  /** Sends a signal; false when the process is gone. Not used on Windows, where Node's kill ends the process. */
  readonly kill: (signal: 'SIGINT') => boolean;
  /** Writes to kd's stdin. */
  readonly write: (bytes: Uint8Array) => void;
}

export interface Breaker {
  /** In the order to try. */
  readonly rungs: readonly BreakRung[];
  /** Never throws. `ok: false` means that nothing was sent: go on with the next rung at once. */
  send(rung: BreakRung): BreakSent;
  /** To be called when kd has exited: leaves its console, which would else live on and keep kd's pipes open. */
  dispose(): void;
}

/** kd acts on the control character when the line it stands in is complete. */
const CTRL_F_LINE = Uint8Array.of(0x06, 0x0a);

/** The breaker of a platform. One per kd process. */
export function createBreaker(target: BreakTarget, platform: NodeJS.Platform = process.platform): Breaker {
  return platform === 'win32' ? windowsBreaker(target) : posixBreaker(target);
}

function posixBreaker(target: BreakTarget): Breaker {
  return {
    rungs: ['ctrl-c', 'byte-06'],
    send: (rung) => {
      switch (rung) {
        case 'ctrl-break':
          return { ok: false, error: 'Ctrl+Break exists on Windows only' };
        case 'ctrl-c':
          return target.kill('SIGINT') ? { ok: true } : { ok: false, error: 'kd has ended' };
        case 'byte-06':
          return sendByte06(target);
      }
    },
    dispose: () => {},
  };
}

function windowsBreaker(target: BreakTarget): Breaker {
  let attached = false;
  /** kd's console stays the host's until kd is gone: later breaks are one call. */
  const sendEvent = (event: 'break' | 'c'): BreakSent => {
    if (!attached) {
      const attach = attachWithinReason(target.pid);
      if (!attach.ok) return { ok: false, error: describeFailure(attach) };
      attached = true;
    }
    const sent = sendCtrl(event);
    return sent.ok ? { ok: true } : { ok: false, error: describeFailure(sent) };
  };
  return {
    rungs: ['ctrl-break', 'ctrl-c', 'byte-06'],
    send: (rung) => {
      switch (rung) {
        case 'ctrl-break':
          return sendEvent('break');
        case 'ctrl-c':
          return sendEvent('c');
        case 'byte-06':
          return sendByte06(target);
      }
    },
    dispose: () => {
      if (attached) leaveConsole();
      attached = false;
    },
  };
}

/**
 * kd's console is there before kd prints anything, so the first try does it, except for a break in kd's first
 * milliseconds. That wait is so short and rare that it may block.
 */
function attachWithinReason(pid: number): Win32Result {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; ; tries++) {
    const attach = attachConsole(pid);
    if (attach.ok || !consoleMayFollow(attach) || tries === 20) return attach;
    Atomics.wait(cell, 0, 0, 10);
  }
}

function sendByte06(target: BreakTarget): BreakSent {
  try {
    target.write(CTRL_F_LINE);
    return { ok: true };
  } catch (error) {
    return {
      ok: false,
      error: `kd's input is closed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
