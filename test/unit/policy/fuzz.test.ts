/** Hidden commands never pass, and no text throws. `npm run fuzz:policy` tries 240,000 lines. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { suffices } from '../../../src/policy/effects.ts';
import { verdict } from '../../../src/policy/verdict.ts';
import corpus from '../../fixtures/policy/corpus.json' with { type: 'json' };
import { FOR_DEBUG, FOR_NOBODY, hidden, noise } from './hostile.ts';

const security = { allowed_command_prefixes: [], denied_patterns: [] };
const runs = Number(process.env.KD_POLICY_FUZZ ?? 6000);
const patience = Math.max(30_000, runs * 3);
const passes = (line: string, level: 'inspect' | 'debug'): boolean =>
  verdict(line, { level, security }).allowed;

describe('a command that is hidden in a line', () => {
  test('passes neither inspect nor debug where it reaches the host', { timeout: patience }, () => {
    fc.assert(
      fc.property(hidden(FOR_NOBODY), (line) => !passes(line, 'inspect') && !passes(line, 'debug')),
      { numRuns: Math.ceil(runs / 2) },
    );
  });

  test('does not pass inspect where it changes the target', { timeout: patience }, () => {
    fc.assert(
      fc.property(hidden(FOR_DEBUG), (line) => !passes(line, 'inspect')),
      { numRuns: Math.ceil(runs / 4) },
    );
  });

  test('is seen as it stands, before anything hides it', () => {
    expect(FOR_NOBODY.filter((line) => passes(line, 'debug'))).toEqual([]);
    expect(FOR_DEBUG.filter((line) => passes(line, 'inspect'))).toEqual([]);
    expect(FOR_DEBUG.filter((line) => !passes(line, 'debug'))).toEqual([]);
  });
});

test('no line takes long: the host judges it while the guest waits', { timeout: patience }, () => {
  const names = new Set(
    corpus.flatMap(({ lines }) => lines).flatMap((line) => /^[.!$~|?]*[\w.]*/.exec(line)?.[0] ?? []),
  );
  const slow = [...names].flatMap((name) =>
    ['a', '1', 'a ', '-v ', '/f ', 'a\\', 'a=1 ', 'a,', '""', '(', '@'].flatMap((unit) => {
      // What doubles with each repetition takes seconds here.
      const line = `${name} ${unit.repeat(28)}#"`;
      const start = performance.now();
      verdict(line, { level: 'debug', security });
      return performance.now() - start > 2000 ? [line] : [];
    }),
  );
  expect(slow).toEqual([]);
});

test('any text gets a verdict; a higher level allows what a lower one does', { timeout: patience }, () => {
  fc.assert(
    fc.property(noise, (line) => {
      const [inspect, debug, unrestricted] = (['inspect', 'debug', 'unrestricted'] as const).map((level) =>
        verdict(line, { level, security }),
      );
      if (inspect?.allowed && !debug?.allowed) return false;
      if (debug?.allowed && !unrestricted?.allowed) return false;
      return (
        inspect?.allowed ||
        inspect === undefined ||
        inspect.needs === 'never' ||
        !suffices('inspect', inspect.needs)
      );
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
});
