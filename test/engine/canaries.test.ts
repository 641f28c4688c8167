/**
 * The policy does not certify itself: lines that it lets pass although a forbidden command stands in them, as text, as
 * a comment, in quotes, are run on the real engine. The command opens a log file; no file may appear.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verdict } from '../../src/policy/verdict.ts';
import corpus from '../fixtures/policy/corpus.json' with { type: 'json' };
import { userDump } from './engine.ts';
import { startKd } from './kd.ts';

const SAMPLE = Number(process.env.KD_CANARIES ?? 2000);
/** The same lines in every run, so that a failure is about the change; KD_SEED looks at others. */
const SEED = Number(process.env.KD_SEED ?? 1);
const AT_ONCE = 200;
const PAYLOAD = '.logopen canary';
/** Symbols from the network, and loops without an end. */
const SLOW = /reload|z\(|\.(?:while|do|for)\b/i;
const security = { allowed_command_prefixes: [], denied_patterns: [] };
const passes = (line: string): boolean => verdict(line, { level: 'debug', security }).allowed;

/** Everything that separates, quotes, nests and comments; commands that succeed, because an error ends a line. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constant(PAYLOAD) },
  { weight: 4, arbitrary: fc.constantFrom(';', '"', ' ', "'", '\\"', '{', '}') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '.echo ',
      '.printf ',
      '* ',
      '$$ ',
      '.block {',
      '.if (1) {',
      '.if (0) {',
      '} .else {',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '`',
        '\\',
        '\\\\',
        '(',
        ')',
        '}',
        '\t',
        ',',
        '=',
        '|',
        '~',
        '!',
        '@',
        '#',
        '[',
        ']',
        '<',
        '%',
        '1',
        'a',
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
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
        'db ',
      ],
      ...[
        '.catch {',
        '.for (k;0;k) {',
        '.while (0) {',
        '.do {',
        '} (0)',
        '.elsif (1) {',
        '.formats 1',
        '.time',
        'bl',
        'sx',
      ],
      ...[
        'sxe -c "',
        '" ld',
        'bp 0 "',
        '@@c++(',
        '?? 1',
        's -a 0 L1 "',
        '.break',
        '.frame 0',
        'x nt!',
        'u ',
        '.lines',
      ],
    ),
  },
);
const lines = fc.array(piece, { minLength: 2, maxLength: 9 }).map((pieces) => pieces.join(''));

function sample(): readonly string[] {
  const found = new Set<string>();
  for (let seed = 1; found.size < SAMPLE; seed++) {
    for (const line of fc.sample(lines, { numRuns: 20_000, seed: SEED * 1000 + seed })) {
      if (line.includes(PAYLOAD) && !/z\((?!0\))|\.for \((?!k;0;k\))/.test(line) && passes(line))
        found.add(line);
    }
  }
  return [...found].slice(0, SAMPLE);
}

test('no line that passes runs the command that stands in it', { timeout: 600_000 }, async () => {
  const known = corpus.filter((group) => group.needs === 'inspect').flatMap((group) => group.lines);
  const all = [...sample(), ...known.filter((line) => !SLOW.test(line))];
  const kd = startKd(['-z', `Z:${userDump()}`]);
  await kd.shows(/0:000> $/, 60_000);
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const part = all.slice(from, from + AT_ONCE);
    const numbered = part.map((line, index) => line.replaceAll(PAYLOAD, `${PAYLOAD}${from + index}`));
    kd.write(`${numbered.join('\n')}\n.echo\n.echo --to-${from}--\n`);
    await kd.shows(new RegExp(`> --to-${from}--\\r\\n`), 120_000);
  }
  const tripped = readdirSync(kd.folder).map((file) => `${file}: ${all[Number.parseInt(file.slice(6), 10)]}`);
  expect(tripped).toEqual([]);
  // The canary can sing.
  kd.write(`${PAYLOAD}-itself\n.logclose\n.echo --end--\n`);
  await kd.shows(/> --end--\r\n/);
  expect(readdirSync(kd.folder)).toEqual(['canary-itself']);
});
