/** Lines that the policy lets pass although a command that it forbids stands in them: as text, a comment, in quotes. */
import fc from 'fast-check';
import type { Level } from '../../src/policy/effects.ts';
import { verdict } from '../../src/policy/verdict.ts';

const security = { allowed_command_prefixes: [], denied_patterns: [] };

/** Everything that separates, quotes, nests and comments; commands that succeed, because an error ends a line. */
const separators = [';', '"', ' ', "'", '\\"', '{', '}'];
const openers = ['.echo ', '.printf ', '* ', '$$ ', '.block {', '.if (1) {', '.if (0) {', '} .else {'];
const signs = '` \\ \\\\ ( ) } , = | ~ ! @ # [ ] < % 1 a'.split(' ').concat('\t');
const commands = [
  ...[
    'k',
    'r $t0=1',
    '? 1',
    'lm ',
    'dx ',
    'dx "',
    "j 1 '",
    "' ; '",
    '~*e ',
    '~0 e ',
    '~*k',
    'z(0)',
    'da @rsp',
  ],
  ...['db ', '.catch {', '.for (k;0;k) {', '.while (0) {', '.do {', '} (0)', '.elsif (1) {', '.formats 1'],
  ...[
    '.time',
    'bl',
    'sx',
    'sxe -c "',
    '" ld',
    'bp 0 "',
    '@@c++(',
    '?? 1',
    's -a 0 L1 "',
    '.break',
    '.frame 0',
  ],
  ...[
    'x nt!',
    'u ',
    '.lines',
    ".if ( ') {",
    "' ) {",
    'j 1 ',
    'j (1)',
    "'k' ; 'r'",
    'sx- -c "',
    't "',
    'p 1 "',
  ],
];

/** Ways around that were open once: where one is open again, its lines pass, and are run. */
const TRICKS: readonly (readonly [before: string, after: string])[] = [
  [".if ( ') { .echo A ' ) { ", ' } }'],
  ['j 1 ', " 'k' ; 'r'"],
  ['j (1)', " 'k' ; 'r'"],
  ['t ".echo a\\x3b', '"'],
  ['p 1 "', '"'],
  ['.echo a"b;c"d;', ''],
  ["da 'a;", "'"],
  ["x 'a;* ';", ''],
  ['s -a @rsp L1 "a\\";', ';"'],
  ['.printf "a\\";', ';\\n"'],
  ['dx (@$f)("', '")'],
  ['.block { $$ {a} ', ' }'],
  ['.for (.echo "a;b";', ';k) { k }'],
  ['~ .e ', ''],
  ['|.', ''],
];

/** What would loop without an end or wait for the network. */
const SLOW = /reload|z\((?!0\))|\.(?:while|do|for)\b(?! \(k;0;k\))/i;

/** The known lines that end in time. */
export function quick(line: string): boolean {
  return !/reload|z\(|\.(?:while|do|for)\b/i.test(line);
}

/** `count` different lines that hold one of `payloads` and pass at `level`, and how many were tried for them. */
export function passing(
  payloads: readonly string[],
  level: Level,
  count: number,
  seed: number,
): { readonly lines: readonly string[]; readonly tried: number } {
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...payloads) },
    { weight: 4, arbitrary: fc.constantFrom(...separators) },
    { weight: 4, arbitrary: fc.constantFrom(...openers) },
    { weight: 2, arbitrary: fc.constantFrom(...signs) },
    { weight: 2, arbitrary: fc.constantFrom(...commands) },
  );
  const pieces = fc.array(piece, { minLength: 2, maxLength: 9 }).map((some) => some.join(''));
  const tricks = fc
    .tuple(fc.constantFrom(...TRICKS), fc.constantFrom(...payloads))
    .map(([[before, after], payload]) => before + payload + after);
  const lines = fc.oneof({ weight: 9, arbitrary: pieces }, { weight: 1, arbitrary: tricks });
  const found = new Set<string>();
  let tried = 0;
  for (let round = 1; found.size < count; round++) {
    for (const line of fc.sample(lines, { numRuns: 20_000, seed: seed * 1000 + round })) {
      if (found.size === count) break;
      tried++;
      const holds = payloads.some((payload) => line.includes(payload));
      if (holds && !SLOW.test(line) && verdict(line, { level, security }).allowed) found.add(line);
    }
  }
  return { lines: [...found], tried };
}
