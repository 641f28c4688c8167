/** SECURITY.md names its tests: they are there. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = readFileSync('SECURITY.md', 'utf8');

test('every test that SECURITY.md names is there', () => {
  const named = [...text.matchAll(/\btest\/[\w./-]*\w/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test('it names the levels, and what is not defended', () => {
  for (const word of ['`inspect`', '`debug`', '`unrestricted`', '## What is not defended', '## Reporting'])
    expect(text).toContain(word);
});
