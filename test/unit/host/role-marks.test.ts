import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutputRole } from '../../../src/host/protocol.ts';
import { RoleMarks } from '../../../src/host/role-marks.ts';

const PROMPT: OutputRole = { kind: 'prompt' };
const COMMAND: OutputRole = { kind: 'command', by: { kind: 'agent', name: 'Copilot' }, seq: 1 };

describe('what a client is sent again', () => {
  it('keeps its roles, and its bytes where characters are wide', () => {
    const marks = new RoleMarks();
    marks.add(7, 14, PROMPT);
    marks.add(14, 17, COMMAND);
    expect(marks.split({ from: 0, to: 20, text: '가나\n0: kd> lm\nabc' })).toEqual([
      { from: 0, to: 7, role: { kind: 'kd' }, text: '가나\n' },
      { from: 7, to: 14, role: PROMPT, text: '0: kd> ' },
      { from: 14, to: 17, role: COMMAND, text: 'lm\n' },
      { from: 17, to: 20, role: { kind: 'kd' }, text: 'abc' },
    ]);
  });

  it('has no command line in two parts, unless the slice begins inside it', () => {
    const marks = new RoleMarks();
    marks.add(2, 6, COMMAND);
    expect(marks.split({ from: 0, to: 4, text: 'abcd' }).map(({ text }) => text)).toEqual(['ab']);
    expect(marks.split({ from: 4, to: 8, text: 'efgh' })).toMatchObject([
      { text: 'ef', role: COMMAND },
      { text: 'gh', role: { kind: 'kd' } },
    ]);
  });

  it('is complete and in order, however it is cut', () => {
    const piece = fc.record({
      text: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 6 }),
      role: fc.constantFrom<OutputRole>({ kind: 'kd' }, PROMPT, COMMAND),
    });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (pieces, step) => {
        const marks = new RoleMarks();
        let whole = '';
        for (const { text, role } of pieces) {
          marks.add(whole.length, whole.length + text.length, role);
          whole += text;
        }
        let read = '';
        while (read.length < whole.length) {
          const from = read.length;
          const to = Math.min(whole.length, from + step);
          const parts = marks.split({ from, to, text: whole.slice(from, to) });
          expect(parts.length).toBeGreaterThan(0);
          for (const part of parts) {
            expect(part.from).toBe(read.length);
            read += part.text;
            expect(part.to).toBe(read.length);
          }
        }
        expect(read).toBe(whole);
      }),
    );
  });
});
