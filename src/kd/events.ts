/**
 * The lines by which kd tells what happens: one entry per line that kd can print.
 *
 * Pure: a line in, an event out. Entries are found by how a line starts, because megabytes of output pass here.
 * Everything a target prints passes here too, so an event is a hint about *why*, never a proof *that* the target
 * stopped; that is the marker's business (framing.ts).
 */
import { PROMPT } from './prompts.ts';

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
  | { readonly kind: 'symbols-loading' }
  /** Another debugger was connected to this one's server, or this one to another's (kd-behaviour.md §9.2). */
  | { readonly kind: 'user-connected'; readonly user: string }
  /** Another user's command is about to run. */
  | { readonly kind: 'user-command'; readonly user: string; readonly command: string };

interface Entry {
  readonly starts: string;
  readonly pattern?: RegExp;
  readonly event: (match: readonly string[]) => ConsoleEvent;
}

const chance = (text: string | undefined): 'first' | 'second' => (text === 'second' ? 'second' : 'first');

/** `[BOX\user (npipe pipe)] 0: kd> r`; the owner of a server may have no bracket (kd-behaviour.md §9.2, engine-facts.md). */
const USER_COMMAND = new RegExp(
  String.raw`^\[([^\]\\]+\\[^\]]*?(?: \((?:npipe|tcp|com|spipe|ssl) [^)]*\))?)\] (?:${PROMPT})?(.*)$`,
);
const USER_CONNECTED = /^([^\s\\]+\\.* \((?:npipe|tcp|com|spipe|ssl) [^)]*\)) connected at /;

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
    pattern: /^Windows .*Kernel Version \d+.* (?:UP|MP \((\d+) procs\)) (?:Free|Checked) \S.*/,
    event: (m) => ({
      kind: 'kernel',
      description: (m[0] ?? '').trimEnd(),
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
  {
    starts: 'Could not open dump file ',
    pattern: /^Could not open dump file \[(.+?)\]/,
    event: (m) => ({ kind: 'open-failed', what: m[1] ?? '' }),
  },
  { starts: 'Kernel debugger failed initialization', pattern: /^.*/, event: initFailed },
  { starts: 'Debuggee initialization failed', pattern: /^.*/, event: initFailed },
  { starts: 'Unable to set engine callbacks', pattern: /^.*/, event: initFailed },
  {
    starts: 'Press ctrl-c (cdb, kd, ntsd) or ctrl-break (windbg) to abort',
    event: () => ({ kind: 'symbols-loading' }),
  },
  {
    starts: '[',
    pattern: USER_COMMAND,
    event: (m) => ({ kind: 'user-command', user: m[1] ?? '', command: m[2] ?? '' }),
  },
  { starts: '-- User interrupt', event: () => ({ kind: 'interrupted' }) },
  // Refusals without a caret (engine.md §5).
  ...[
    "Couldn't resolve",
    'Syntax',
    'Memory access',
    'Numeric expression missing',
    'Operation not supported',
  ].map((starts): Entry => ({ starts, event: () => ({ kind: 'command-error' }) })),
];

/** Known by what is inside, not by how it starts. */
const EXCEPTION = /^(.+?) - code ([0-9a-f]{8}) \((?:!!! )?(first|second) chance/;

/** By the code of the first character. */
const BY_FIRST: (Entry[] | undefined)[] = [];
for (const entry of TABLE) {
  const first = entry.starts.charCodeAt(0);
  const list = BY_FIRST[first] ?? [];
  BY_FIRST[first] = list;
  list.push(entry);
}

/** Longer than any line that tells something: a command of 4096 characters, quoted behind as many blanks. */
const LONGEST_LINE = 10_000;

/** The event a complete line tells, or undefined. `line` is without the prompt it may have been glued to. */
export function eventOf(whole: string): ConsoleEvent | undefined {
  const line = whole.length > LONGEST_LINE ? whole.slice(0, LONGEST_LINE) : whole;
  const entries = BY_FIRST[line.charCodeAt(0)];
  if (entries !== undefined) {
    for (const entry of entries) {
      if (!line.startsWith(entry.starts)) continue;
      if (entry.pattern === undefined) return entry.event([]);
      const match = entry.pattern.exec(line);
      if (match) return entry.event(match);
    }
  }
  // A parenthesis is rarer than the word, and this is asked of each line of megabytes.
  if (line.includes('(') && line.includes(' chance')) {
    const match = EXCEPTION.exec(line);
    if (match)
      return { kind: 'exception', code: match[2] ?? '', chance: chance(match[3]), text: match[1] ?? '' };
  }
  if (line.includes(') connected at ')) {
    const user = USER_CONNECTED.exec(line)?.[1];
    if (user !== undefined) return { kind: 'user-connected', user };
  }
  if (!startsWithCaret(line)) return undefined;
  return line.includes('User interrupted operation') ? { kind: 'interrupted' } : { kind: 'command-error' };
}

/**
 * What the entries that begin with blanks, {@link EXCEPTION}, the caret and a prompt have in them. The first character of
 * each leads the search, so it is a rare one; short words are found faster than long ones.
 */
const INSIDE: readonly string[] = ['^ ', '> ', '(0x', '(fir', '(sec', '(!!!', ') connected at '];
/** First characters of entries, but the blank. */
const LEADS = new Uint8Array(0x80);
for (const code of BY_FIRST.keys()) LEADS[code] = BY_FIRST[code] !== undefined && code !== 0x20 ? 1 : 0;

/**
 * False for nearly all of the megabytes that a command may print: no line of `text` (whole lines) tells anything, also
 * not behind a prompt it is glued to. To cut such text into lines and to look at each takes ten times as long.
 */
export function mayTell(text: string): boolean {
  for (let start = 0, next = 0; next >= 0; start = next + 1) {
    const first = text.charCodeAt(start);
    if (LEADS[first] === 1 && startsAt(text, start, BY_FIRST[first] ?? [])) return true;
    next = text.indexOf('\n', start);
  }
  return INSIDE.some((words) => text.includes(words));
}

function startsAt(text: string, at: number, entries: readonly Entry[]): boolean {
  return entries.some(({ starts }) => text.startsWith(starts, at));
}

/** `     ^ Syntax error in '…'`: the caret points into the command. */
function startsWithCaret(line: string): boolean {
  let at = 0;
  while (line.charCodeAt(at) === 0x20) at++;
  return line.startsWith('^ ', at) && line.length > at + 2;
}

function architectureOf(words: string): string {
  if (words.startsWith('ARM 64')) return 'arm64';
  return words === 'x86 compatible' ? 'x86' : words;
}

function initFailed(match: readonly string[]): ConsoleEvent {
  const text = match[0] ?? '';
  return { kind: 'init-failed', text, accessDenied: /error (?:0n)?5\b|0x80070005/.test(text) };
}
