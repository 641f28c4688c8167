import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRecentCommands } from '../../../src/client/recent-commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kdr-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const add = (seq: number, text = 'r') =>
  appendFileSync(
    join(folder, 'commands.jsonl'),
    `${JSON.stringify({ seq, text, by: { kind: 'agent', name: 'Copilot' }, at: seq })}\n`,
  );
const read = (known?: Awaited<ReturnType<typeof readRecentCommands>>) =>
  readRecentCommands(join(folder, 'transcript.log'), 3, known);

test('the last commands come newest first, and none before the first', async () => {
  expect(await read()).toEqual({ size: 0, commands: [] });
  for (const seq of [1, 2, 3, 4]) add(seq);
  expect((await read()).commands.map(({ seq }) => seq)).toEqual([4, 3, 2]);
});

test('nothing is read when nothing was added', async () => {
  add(1);
  const known = await read();
  expect(await read(known)).toBe(known);
  add(2);
  expect((await read(known)).commands.map(({ seq }) => seq)).toEqual([2, 1]);
});

test('long commands and half-written lines are no problem', async () => {
  for (let seq = 1; seq < 30; seq += 1) add(seq, 'x'.repeat(4000));
  appendFileSync(join(folder, 'commands.jsonl'), '{"seq":30,"te');
  expect((await read()).commands.map(({ seq }) => seq)).toEqual([29, 28, 27]);
});
