import { expect, test } from 'vitest';
import { OutputStream } from '../../../src/client/output-stream.ts';

const KD = { kind: 'kd' } as const;

test('a listener gets each byte once, whatever is sent again for others', async () => {
  const restarts: number[] = [];
  const stream = new OutputStream(async (from) => {
    restarts.push(from);
    return from;
  });
  const seen: [string, string] = ['', ''];
  const first = await stream.follow(0, ({ text }) => {
    seen[0] += text;
  });
  stream.receive({ from: 0, text: 'abc', role: KD });
  await stream.follow(1, ({ text }) => {
    seen[1] += text;
  });
  // Sent before the host began anew.
  stream.receive({ from: 3, text: 'd', role: KD });
  stream.receive({ from: 1, text: 'bcd', role: KD });
  first.dispose();
  stream.receive({ from: 4, text: 'e', role: KD });
  expect(seen).toEqual(['abcd', 'bcde']);
  expect(restarts).toEqual([0, 1]);
});

test('a listener that wants more than there is begins with what comes next', async () => {
  const stream = new OutputStream(async () => 10);
  let seen = '';
  await stream.follow(99, ({ text }) => {
    seen += text;
  });
  stream.receive({ from: 10, text: 'new', role: KD });
  expect(seen).toBe('new');
});
