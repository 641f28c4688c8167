/** What kd prints when it connects and when it loses the guest. Order and words: engine.md §5. */
import { addressOf } from '../machine/symbols.ts';
import type { Debugger } from './debugger.ts';
import type { Target } from './options.ts';
import { kdTime, tick, uptimeText } from './texts.ts';
import { netText } from './transport.ts';

/** The lines of a KDNET link; other transports print nothing. */
export function linkText(target: Target): string {
  if (target.kind !== 'net') return '';
  const address = target.target ?? '127.0.0.1';
  return (
    `Connected to target ${address} on port ${target.port ?? 50000} on local IP 127.0.0.1.\n` +
    'You can get the target MAC address by running .kdtargetmac command.\n'
  );
}

export const DUMP_KIND =
  'Kernel Bitmap Dump File: Kernel address space is available, User address space may not be available.\n';

/** The guest is gone and kd waits for the next one; no prompt follows. */
export function shutdownText(target: Target): string {
  const opening = target.kind === 'net' ? netText(target.target) : '';
  return `Shutdown occurred at (${kdTime(new Date())})...unloading all symbol tables.\n${opening}Waiting to reconnect...\n`;
}

/** The version block of `vertarget` and of each connect. */
export function versionBlock(kd: Debugger): string {
  const { machine } = kd;
  const count = machine.processors.length;
  if (kd.inBootDebugger) return 'Windows Boot Debugger Kernel Version 19041 UP Free x64\n';
  const list = addressOf(machine.modules, 'nt!PsLoadedModuleList') ?? 0n;
  const lab = '19041.1.amd64fre.vb_release.191206-1406';
  return (
    `Windows 10 Kernel Version 19041 ${count === 1 ? 'UP' : `MP (${count} procs)`} Free x64\n` +
    'Product: WinNt, suite: TerminalServer SingleUserTS\n' +
    (kd.style.builtBy ? `Built by: ${lab}\nMachine Name:\n` : `Edition build lab: ${lab}\n`) +
    `Kernel base = 0x${tick(addressOf(machine.modules, 'nt') ?? 0n)} PsLoadedModuleList = 0x${tick(list)}\n` +
    timeLines(kd)
  );
}

/** `.time`. */
export function timeLines(kd: Debugger): string {
  const now = Date.now();
  return `Debug session time: ${kdTime(new Date(now))}\n${uptimeText(now - kd.machine.bootedAt)}`;
}

/** `Connected to Windows …`, which `.reload` prints again. */
export function connectedLine(kd: Debugger): string {
  const system = kd.inBootDebugger ? 'Windows Boot Debugger' : 'Windows 10';
  return `Connected to ${system} 19041 x64 target at (${kdTime(new Date())}), ptr64 TRUE\n`;
}

/** Rows of the symbol path as kd checks it. */
export function pathValidation(kd: Debugger): string {
  const rows = kd.symbolPath.split(';').map((part) => {
    const response = /^(srv|cache)\*/i.test(part) ? 'Deferred' : /^\w:/.test(part) ? 'Error' : 'OK';
    return `${response.padEnd(46)} ${part}\n`;
  });
  return `\n************* Path validation summary **************\nResponse                         Time (ms)     Location\n${rows.join('')}`;
}

/** All lines of a connection to a kernel. */
export function connectionText(kd: Debugger, again: boolean): string {
  const { options } = kd;
  const live = options.target.kind !== 'local' && options.target.kind !== 'dump';
  const requested = options.breakOnConnect ? '  (Initial Breakpoint requested)' : '';
  return (
    (options.target.kind === 'dump' ? '' : connectedLine(kd)) +
    (live ? `Kernel Debugger connection established.${requested}\n` : '') +
    (kd.inBootDebugger
      ? 'ReadVirtual() failed in GetXStateConfiguration() first read attempt (error == 0.)\nCS descriptor lookup failed\n'
      : '') +
    (again || options.symbolPath !== undefined ? pathValidation(kd) : '') +
    `Symbol search path is: ${kd.symbolPath}\nExecutable search path is: ${options.imagePath}\n` +
    versionBlock(kd)
  );
}
