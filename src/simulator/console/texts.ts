/** What kd prints at its start, at a connection and at a stop. Sources: engine.md §5 and its transcripts, kd-behaviour.md §3, §5. */

export const VERSION = '10.0.29507.1001';

/** What recent packages print before the banner. */
export const GALLERY = `
************* Preparing the environment for Debugger Extensions Gallery repositories **************
   ExtensionRepository : Implicit
   UseExperimentalFeatureForNugetShare : true
   AllowNugetExeUpdate : true
   NonInteractiveNuget : true
   AllowNugetMSCredentialProviderInstall : true
   AllowParallelInitializationOfLocalRepositories : true
   EnableRedirectToChakraJsProvider : false

   -- Configuring repositories
      ----> Repository : LocalInstalled, Enabled: true
      ----> Repository : UserExtensions, Enabled: true

>>>>>>>>>>>>> Preparing the environment for Debugger Extensions Gallery repositories completed, duration 0.005 seconds

************* Waiting for Debugger Extensions Gallery to Initialize **************

>>>>>>>>>>>>> Waiting for Debugger Extensions Gallery to Initialize completed, duration 0.009 seconds
   ----> Repository : UserExtensions, Enabled: true, Packages count: 0
   ----> Repository : LocalInstalled, Enabled: true, Packages count: 30
`;

/** The banner, with the blank lines around it. */
export const BANNER = `
Microsoft (R) Windows Debugger Version ${VERSION} AMD64
Copyright (c) Microsoft Corporation. All rights reserved.

`;

/** A break-in, 79 columns. */
const STAR_BOX = `*******************************************************************************
*                                                                             *
*   You are seeing this message because you pressed either                    *
*       CTRL+C (if you run console kernel debugger) or,                       *
*       CTRL+BREAK (if you run GUI kernel debugger),                          *
*   on your debugger machine's keyboard.                                      *
*                                                                             *
*                   THIS IS NOT A BUG OR A SYSTEM CRASH                       *
*                                                                             *
* If you did not intend to break into the debugger, press the "g" key, then   *
* press the "Enter" key now.  This message might immediately reappear.  If it *
* does, press "g" and "Enter" again.                                          *
*                                                                             *
*******************************************************************************
`;

/** Where a break-in stops. */
export const BREAK_SYMBOL = 'nt!DbgBreakPointWithStatus';

/** The break-in box; old debuggers name their programs in it. */
export function starBox(old: boolean): string {
  if (!old) return STAR_BOX;
  const worded = (box: string, now: string, then: string) => box.replace(now, then.padEnd(now.length));
  const first = worded(STAR_BOX, '(if you run console kernel debugger) or,', '(if you run kd.exe) or,');
  return worded(first, '(if you run GUI kernel debugger),', '(if you run WinDBG),');
}

export const BREAK_EXCEPTION = 'Break instruction exception - code 80000003 (first chance)\n';

const BUGCHECK_STOP = `${BREAK_EXCEPTION}
A fatal system error has occurred.
Debugger entered on first try; Bugcheck callbacks have not been invoked.

A fatal system error has occurred.

For analysis of this file, run !analyze -v
`;

/** The stop of a bugcheck; old debuggers run a short analysis by themselves (kd-behaviour.md §8.5). */
export function bugcheckStop(short: boolean, code: number, parameters: readonly bigint[]): string {
  if (!short) return BUGCHECK_STOP;
  const list = parameters.map((p) => p.toString(16)).join(', ');
  return `${BUGCHECK_STOP.replace('For analysis of this file, run !analyze -v\n', '')}${ANALYSIS_BOX}
Use !analyze -v to get detailed debugging information.

BugCheck ${code.toString(16).toUpperCase()}, {${list}}

Probably caused by : mydriver.sys ( mydriver!MyCrash+2 )

Followup: MachineOwner
---------

`;
}

export const ANALYSIS_BOX = `*******************************************************************************
*                                                                             *
*                        Bugcheck Analysis                                    *
*                                                                             *
*******************************************************************************
`;

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function two(n: number): string {
  return String(n).padStart(2, '0');
}

/** `Mon Nov 30 21:17:19.639 2026 (UTC + 0:00)`: C locale names on every host. */
export function kdTime(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const zone = `UTC ${offset < 0 ? '-' : '+'} ${Math.floor(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${DAYS[date.getDay()]} ${MONTHS[date.getMonth()]} ${String(date.getDate()).padStart(2)} ${clock}.${ms} ${date.getFullYear()} (${zone})`;
}

/** `Thu Oct  8 22:16:45 2026`. */
export function ctime(date: Date): string {
  return kdTime(date).replace(/\.\d+ (\d+) .*/, ' $1');
}

/** `System Uptime: 0 days 1:00:02.097`. */
export function uptimeText(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  const hours = Math.floor(ms / 3_600_000) % 24;
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = Math.floor(ms / 1000) % 60;
  return `System Uptime: ${days} days ${hours}:${two(minutes)}:${two(seconds)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}\n`;
}

/** A 64-bit number as engine commands print it: ``fffff803`12410010``. */
export function tick(value: bigint): string {
  const digits = plain(value);
  return `${digits.slice(0, 8)}\`${digits.slice(8)}`;
}

/** A 64-bit number as extensions print it: `fffff80312410010`. */
export function plain(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, '0');
}
