/** The colour of a line of kd's output, by what it means. Data; only the theme's own sixteen colours. */

/** `ESC [ n m` of the terminal. */
export const SGR = {
  reset: '\x1b[0m',
  bold: '\x1b[1m',
  dim: '\x1b[2m',
  remark: '\x1b[2;3m',
  error: '\x1b[31m',
  crash: '\x1b[1;31m',
  stop: '\x1b[33m',
  warning: '\x1b[33m',
} as const;

/** No line that means something is longer; a flood of long ones is not looked at. */
const LONGEST = 300;

/** First match wins (kd-behaviour.md §3 and §4; engine.md §5). */
const MEANINGS: readonly (readonly [pattern: RegExp, colour: keyof typeof SGR])[] = [
  [/^(?:\*\*\* Fatal System Error|A fatal system error has occurred|BugCheck [0-9A-F]+,)/, 'crash'],
  [/^\*\s+Bugcheck Analysis\s+\*$|^BUGCHECK_CODE:|^FAILURE_BUCKET_ID:/, 'crash'],
  [/^(?:Break instruction exception|Breakpoint \d+ hit|Single step exception|Assertion: )/, 'stop'],
  [/ - code [0-9a-f]{8} \((?:first|!!! second)/, 'stop'],
  [/^\s*\^ /, 'error'],
  [
    /^(?:\*\*\* ERROR|ERROR: |Couldn't resolve error|Syntax error at|Numeric expression missing|Memory access error|Unable to |No export )/,
    'error',
  ],
  [/^(?:\*\*\* WARNING|WARNING: )/, 'warning'],
];

/** Undefined for most lines. */
export function colourOf(line: string): string | undefined {
  if (line.length > LONGEST) return undefined;
  const meaning = MEANINGS.find(([pattern]) => pattern.test(line));
  return meaning === undefined ? undefined : SGR[meaning[1]];
}
