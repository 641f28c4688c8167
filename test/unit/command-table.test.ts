import { expect, test } from 'vitest';
import { TABLE_HEAD, tableRow } from '../../src/cli/command-table.ts';
import { neutralise, neutraliseJson } from '../../src/client/neutralise.ts';
import type { IndexedCommand } from '../../src/host/command-index.ts';

const command = (more: Partial<IndexedCommand> = {}): string =>
  JSON.stringify({
    seq: 12,
    text: 'lm m nt',
    by: { kind: 'agent', name: 'claude-code' },
    effects: ['reads target'],
    verdict: 'allowed',
    from: 0,
    to: 9,
    outcome: 'done',
    at: new Date(2026, 0, 2, 3, 4, 5).getTime(),
    durationMs: 3,
    ...more,
  } satisfies IndexedCommand);

test('a row says who sent what, when, what it does and how it ended, each in its column', () => {
  const row = tableRow(command()) ?? '';
  const columns = [
    ['#', '12'],
    ['when', '2026-01-02 03:04:05'],
    ['who', 'agent claude-code'],
  ].concat([
    ['outcome', 'done'],
    ['class', 'reads target'],
    ['command', 'lm m nt'],
  ]);
  for (const [head = '', value = ''] of columns) {
    expect(row.slice(TABLE_HEAD.indexOf(head))).toMatch(new RegExp(`^${value}`));
  }
});

test('a refused line stands out, and why it was refused is below it', () => {
  const row = tableRow(command({ seq: 0, outcome: 'refused', verdict: 'refused', error: 'Not sent:\nno' }));
  expect(row).toMatch(/^- .* REFUSED .*lm m nt\n {6}Not sent: no$/);
});

test('long names are cut, commands are not; older and half-written lines are no problem', () => {
  const text = `.echo ${'x'.repeat(3_000)}`;
  const row = tableRow(command({ text, by: { kind: 'person', name: 'n'.repeat(60) } })) ?? '';
  expect(row.slice(TABLE_HEAD.indexOf('command'))).toBe(text);
  const { effects: _, verdict: __, ...older } = JSON.parse(command());
  expect(tableRow(JSON.stringify(older))).toContain('lm m nt');
  expect(tableRow(command().slice(0, -9))).toBeUndefined();
  expect(tableRow('7')).toBeUndefined();
});

test('what a line holds cannot act on the terminal, and as JSON it says the same', () => {
  const text = 'a\u001b]0;x\u0007b\u009b2J\u202ec\nd';
  expect(neutralise(tableRow(command({ text })) ?? '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  const shown = neutraliseJson(command({ text }));
  expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(shown).text).toBe(text);
});
