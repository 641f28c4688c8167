/**
 * The lines by which kd tells what happens: one entry per line that kd can print.
 *
 * Pure: a line in, an event out. Entries are found by how a line starts, because megabytes of output pass here.
 * Everything a target prints passes here too, so an event is a hint about *why*, never a proof *that* the target
 * stopped; that is the marker's business (framing.ts).
 */

export type ConsoleEvent =
  | { readonly kind: 'version'; readonly version: string }
  /** kd listens for a target. */
  | { readonly kind: 'waiting' }
  /** KDNET's UDP session is up; the kernel has not reported yet. */
  | { readonly kind: 'linked'; readonly address: string }
  | {
      readonly kind: 'target';
      readonly build: number;
      readonly architecture: string;
      readonly bootDebugger: boolean;
    }
  | { readonly kind: 'established' }
  | { readonly kind: 'kernel'; readonly description: string; readonly processors?: number }
  | { readonly kind: 'kernel-base'; readonly base: string }
  | { readonly kind: 'break-exception'; readonly code: string; readonly chance: 'first' | 'second' }
  | { readonly kind: 'break-in-box' }
  | { readonly kind: 'break-in-location' }
  | {
      readonly kind: 'exception';
      readonly code: string;
      readonly chance: 'first' | 'second';
      readonly text: string;
    }
  | { readonly kind: 'breakpoint'; readonly number: number }
  | { readonly kind: 'load-location' }
  | { readonly kind: 'fatal-error'; readonly code: string }
  | { readonly kind: 'fatal-arguments'; readonly args: readonly string[] }
  | { readonly kind: 'bugcheck-stop' }
  | { readonly kind: 'shutdown' }
  | { readonly kind: 'hard-reset' }
  | { readonly kind: 'reconnecting' }
  | { readonly kind: 'link-trouble'; readonly tries: number }
  | { readonly kind: 'wrong-key' }
  | { readonly kind: 'unsupported-protocol' }
  | { readonly kind: 'port-in-use'; readonly port?: number }
  | { readonly kind: 'open-failed'; readonly what: string }
  | { readonly kind: 'init-failed'; readonly text: string; readonly accessDenied: boolean }
  | { readonly kind: 'command-error' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'symbols-loading' };

interface Entry {
  readonly starts: string;
  readonly pattern?: RegExp;
  readonly event: (match: readonly string[]) => ConsoleEvent;
}

const chance = (text: string | undefined): 'first' | 'second' => (text === 'second' ? 'second' : 'first');

/** kd-behaviour.md §3 (start-up, reconnect), §5.4–5.5 (stops), §8 (errors); engine.md §5 for the rest. */
const TABLE: readonly Entry[] = [
  {
    starts: 'Microsoft (R) Windows Debugger Version ',
    pattern: /Version (\S+)(?: (AMD64|X86|ARM64))?/,
    event: (m) => ({ kind: 'version', version: m[1] ?? '' }),
  },
  { starts: 'Waiting to reconnect...', event: () => ({ kind: 'waiting' }) },
  { starts: 'Waiting for pipe ', event: () => ({ kind: 'waiting' }) },
  {
    starts: 'Connected to target ',
    pattern: /^Connected to target (\S+) on port /,
    event: (m) => ({ kind: 'linked', address: m[1] ?? '' }),
  },
  {
    starts: 'Connected to Windows ',
    pattern: /^Connected to Windows (Boot Debugger |\S+ )?(\d+) (.+?) target(?: at \(|,|$)/,
    event: (m) => ({
      kind: 'target',
      build: Number(m[2]),
      architecture: architectureOf(m[3] ?? ''),
      bootDebugger: m[1] === 'Boot Debugger ',
    }),
  },
  { starts: 'Kernel Debugger connection established', event: () => ({ kind: 'established' }) },
  {
    starts: 'Windows ',
    pattern: /^Windows .*Kernel Version \d+.* (?:UP|MP \((\d+) procs\)) (?:Free|Checked) /,
    event: (m) => ({
      kind: 'kernel',
      description: m[0] ?? '',
      ...(m[1] === undefined ? { processors: 1 } : { processors: Number(m[1]) }),
    }),
  },
  {
    starts: 'Kernel base = ',
    pattern: /^Kernel base = (0x[0-9a-f`]+)/,
    event: (m) => ({ kind: 'kernel-base', base: m[1] ?? '' }),
  },
  {
    starts: 'Break instruction exception - code ',
    pattern: /code ([0-9a-f]+) \((?:!!! )?(first|second) chance/,
    event: (m) => ({ kind: 'break-exception', code: m[1] ?? '', chance: chance(m[2]) }),
  },
  {
    starts: '*   You are seeing this message because you pressed either',
    event: () => ({ kind: 'break-in-box' }),
  },
  { starts: 'nt!DbgBreakPointWithStatus', event: () => ({ kind: 'break-in-location' }) },
  { starts: 'nt!RtlpBreakWithStatusInstruction', event: () => ({ kind: 'break-in-location' }) },
  { starts: 'nt!DebugService2+', event: () => ({ kind: 'load-location' }) },
  {
    starts: 'Breakpoint ',
    pattern: /^Breakpoint (\d+) hit/,
    event: (m) => ({ kind: 'breakpoint', number: Number(m[1]) }),
  },
  {
    starts: '*** Fatal System Error: 0x',
    pattern: /0x([0-9a-fA-F]+)/,
    event: (m) => ({ kind: 'fatal-error', code: (m[1] ?? '').toLowerCase() }),
  },
  {
    starts: '                       (0x',
    pattern: /^ +\((0x[0-9A-Fa-f]+),(0x[0-9A-Fa-f]+),(0x[0-9A-Fa-f]+),(0x[0-9A-Fa-f]+)\)/,
    event: (m) => ({ kind: 'fatal-arguments', args: m.slice(1, 5) }),
  },
  { starts: 'A fatal system error has occurred.', event: () => ({ kind: 'bugcheck-stop' }) },
  { starts: 'Shutdown occurred at ', event: () => ({ kind: 'shutdown' }) },
  {
    starts: 'The target machine restarted without notifying the debugger',
    event: () => ({ kind: 'hard-reset' }),
  },
  {
    starts: 'Transport link disconnected. Forcing a debugger reconnect',
    event: () => ({ kind: 'reconnecting' }),
  },
  {
    starts: '... Retry sending the same data packet for ',
    pattern: /for (\d+) times/,
    event: (m) => ({ kind: 'link-trouble', tries: Number(m[1]) }),
  },
  { starts: 'Packet failed authentication.', event: () => ({ kind: 'wrong-key' }) },
  { starts: 'KDNET protocol version unsupported', event: () => ({ kind: 'unsupported-protocol' }) },
  {
    starts: 'Port ',
    pattern: /^Port (\d+) already in use/,
    event: (m) => ({ kind: 'port-in-use', port: Number(m[1]) }),
  },
  { starts: 'Failed to initialize IPv4 socket', event: () => ({ kind: 'port-in-use' }) },
  {
    starts: 'Failed to open ',
    pattern: /^Failed to open (.+)/,
    event: (m) => ({ kind: 'open-failed', what: m[1] ?? '' }),
  },
  { starts: 'Kernel debugger failed initialization', pattern: /^.*/, event: initFailed },
  { starts: 'Debuggee initialization failed', pattern: /^.*/, event: initFailed },
  { starts: 'Unable to set engine callbacks', pattern: /^.*/, event: initFailed },
  {
    starts: 'Press ctrl-c (cdb, kd, ntsd) or ctrl-break (windbg) to abort',
    event: () => ({ kind: 'symbols-loading' }),
  },
  { starts: '-- User interrupt', event: () => ({ kind: 'interrupted' }) },
];

/** Lines that are known by what is inside, not by how they start. */
const CARET = /^\s*\^ (.+)$/;
const RESOLVE =
  /^(?:Couldn't resolve|Syntax|Memory access|Numeric expression missing|Operation not supported)/;
const EXCEPTION = /^(.+?) - code ([0-9a-f]{8}) \((?:!!! )?(first|second) chance/;

const BY_FIRST = new Map<string, Entry[]>();
for (const entry of TABLE) {
  const first = entry.starts.charAt(0);
  const list = BY_FIRST.get(first);
  if (list) list.push(entry);
  else BY_FIRST.set(first, [entry]);
}

/** The event a complete line tells, or undefined. `line` is without the prompt it may have been glued to. */
export function eventOf(line: string): ConsoleEvent | undefined {
  for (const entry of BY_FIRST.get(line.charAt(0)) ?? []) {
    if (!line.startsWith(entry.starts)) continue;
    if (entry.pattern === undefined) return entry.event([]);
    const match = entry.pattern.exec(line);
    if (match) return entry.event(match);
  }
  if (line.includes(' chance')) {
    const match = EXCEPTION.exec(line);
    if (match)
      return { kind: 'exception', code: match[2] ?? '', chance: chance(match[3]), text: match[1] ?? '' };
  }
  if (CARET.test(line)) {
    return line.includes('User interrupted operation') ? { kind: 'interrupted' } : { kind: 'command-error' };
  }
  return RESOLVE.test(line) ? { kind: 'command-error' } : undefined;
}

function architectureOf(words: string): string {
  if (words.startsWith('ARM 64')) return 'arm64';
  return words === 'x86 compatible' ? 'x86' : words;
}

function initFailed(match: readonly string[]): ConsoleEvent {
  const text = match[0] ?? '';
  return { kind: 'init-failed', text, accessDenied: /error (?:0n)?5\b|0x80070005/.test(text) };
}
