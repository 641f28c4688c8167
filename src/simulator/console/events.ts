/** What kd prints when it starts, connects, and when the guest stops. */
import type { Stop } from '../machine/machine.ts';
import { NT_BASE } from '../machine/modules.ts';
import { addressOf } from '../machine/symbols.ts';
import type { Debugger } from './debugger.ts';
import { locationLines } from './location.ts';
import type { Target } from './options.ts';
import { BANNER, BREAK_EXCEPTION, BUGCHECK_STOP, kdTime, STAR_BOX, tick, uptimeText } from './texts.ts';

/** From the banner to `Waiting to reconnect...`. */
export function startText(target: Target): string {
  return `${BANNER}${openText(target)}Waiting to reconnect...\n`;
}

/** What opening the transport prints, again after each loss of the target. */
export function openText(target: Target): string {
  switch (target.kind) {
    case 'net': {
      const family = target.target?.includes('.') ? 'Using IPv4 only.\n' : '';
      return `Using NET for debugging\nOpened WinSock 2.0\n${family}`;
    }
    case 'usb':
      return 'Using USB for debugging\n';
    case 'serial':
      return `Opened ${target.device}\n`;
    case 'tcp':
      return `Opened ${target.host}\n`;
    default:
      return '';
  }
}

/** The lines of a KDNET link; other transports print nothing. */
export function linkText(target: Target): string {
  if (target.kind !== 'net') return '';
  const address = target.target ?? '127.0.0.1';
  return `Connected to target ${address} on port ${target.port ?? 0} on local IP 127.0.0.1.\nYou can get the target MAC address by running .kdtargetmac command.\n`;
}

/** The version block of `vertarget` and of each connect. */
export function versionBlock(kd: Debugger): string {
  const { machine } = kd;
  const count = machine.processors.length;
  const list = addressOf(machine.modules, 'nt!PsLoadedModuleList') ?? 0n;
  return (
    `Windows 10 Kernel Version 19041 ${count === 1 ? 'UP' : `MP (${count} procs)`} Free x64\n` +
    'Product: WinNt, suite: TerminalServer SingleUserTS\n' +
    'Edition build lab: 19041.1.amd64fre.vb_release.191206-1406\n' +
    `Kernel base = 0x${tick(NT_BASE)} PsLoadedModuleList = 0x${tick(list)}\n` +
    timeLines(kd)
  );
}

export function timeLines(kd: Debugger): string {
  const now = Date.now();
  return `Debug session time: ${kdTime(new Date(now))}\n${uptimeText(now - kd.machine.bootedAt)}`;
}

/** `Connected to Windows …`, which `.reload` prints again. */
export function connectedLine(): string {
  return `Connected to Windows 10 19041 x64 target at (${kdTime(new Date())}), ptr64 TRUE\n`;
}

/** All lines of a connection to a kernel. */
export function connectionText(kd: Debugger, requested: boolean): string {
  return (
    connectedLine() +
    `Kernel Debugger connection established.${requested ? '  (Initial Breakpoint requested)' : ''}\n` +
    `Symbol search path is: ${kd.symbolPath}\nExecutable search path is: ${kd.options.imagePath}\n` +
    versionBlock(kd)
  );
}

/** All lines of a stop, without the prompt. */
export function stopText(kd: Debugger, stop: Stop): string {
  const box = kd.options.quiet ? '' : STAR_BOX;
  switch (stop.kind) {
    case 'break':
      kd.stopText = BREAK_EXCEPTION + box;
      return kd.stopText + locationLines(kd);
    case 'bugcheck':
      kd.stopText = BUGCHECK_STOP;
      return BUGCHECK_STOP + locationLines(kd);
    case 'int3':
      kd.stopText = BREAK_EXCEPTION;
      return BREAK_EXCEPTION + locationLines(kd);
    case 'breakpoint': {
      const number = kd.breakpoints.find((b) => b.address === stop.address)?.id ?? 0;
      kd.stopText = `Breakpoint ${number} hit\n`;
      return kd.stopText + locationLines(kd);
    }
    case 'step':
    case 'load':
      kd.stopText = '';
      return locationLines(kd);
  }
}
