/** The table of exit paths and its tests are the same rows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const section = readFileSync('ARCHITECTURE.md', 'utf8').split('## Keeping the guest alive')[1] ?? '';
const table = section
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));
const rows = table?.map(([name = '', , , shown = '']) => ({ name, shown })) ?? [];

/** Names of the rows that a folder's tests have. */
function tested(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => /^exit-paths.*\.test\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/^exit\((["'])(.+?)\1, /gm)])
    .map((match) => match[2] ?? '');
}

test('every row has a test of its name on the simulator, and every such test a row', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect([...tested('test/host')].sort()).toEqual(rows.map(({ name }) => name).sort());
});

test('every row that says so has one on the real engine, and no other', () => {
  const wanted = rows.filter(({ shown }) => /\bengine\b/.test(shown)).map(({ name }) => name);
  expect([...tested('test/engine')].sort()).toEqual(wanted.sort());
});
