/** Lines and what each of them needs: a corpus that grows with every way around the policy that is found. */
import { describe, expect, test } from 'vitest';
import { LEVELS, type Need, suffices } from '../../../src/policy/effects.ts';
import { verdict } from '../../../src/policy/verdict.ts';
import corpus from '../../fixtures/policy/corpus.json' with { type: 'json' };

const security = { allowed_command_prefixes: [], denied_patterns: [] };
const needs = (need: string): Need => {
  const known: readonly Need[] = [...LEVELS, 'never'];
  const found = known.find((one) => one === need);
  if (found === undefined) throw new Error(`no level is called ${need}`);
  return found;
};

describe.each(corpus)('$group', (group) => {
  test.each(LEVELS)('is judged as it should be at level %s', (level) => {
    const expected = suffices(level, needs(group.needs));
    const wrong = group.lines.flatMap((line) => {
      const found = verdict(line, { level, security });
      const right =
        found.allowed === expected &&
        (found.allowed || (found.needs === group.needs && (group.effect ?? found.effect) === found.effect));
      return right ? [] : [`${line} -> ${JSON.stringify(found)}`];
    });
    expect(wrong).toEqual([]);
  });
});

test('the corpus has at least 300 lines, each once', () => {
  const lines = corpus.flatMap((group) => group.lines);
  expect(lines.length).toBeGreaterThan(300);
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
});
