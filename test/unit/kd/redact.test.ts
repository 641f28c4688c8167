import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ConsoleReader, type Step } from '../../../src/kd/framing.ts';
import { createRedactor, REDACTED } from '../../../src/kd/redact.ts';

const KEY = '2steg4fzbj2sz.23418vzkd4ko3.1g34ou07z4pev.1sp3yo9yz874p';

describe('a secret', () => {
  test.each([
    [`key=${KEY},target=x`, KEY],
    [`Key=${KEY.toUpperCase()}`, KEY],
    [`xx${KEY}yy`, KEY],
    ['Trans=@{NET:Port=50000,Key=1.2.3.4,Target}', '1.2.3.4'],
    ['1.2.3.4', '1.2.3.4'],
    ['at 1.2.3.4.', '1.2.3.4'],
    ['1.2.3.4:50000', '1.2.3.4'],
  ])('is taken out of %s', (text, secret) => {
    const shown = createRedactor([secret]).redact(text);
    expect(shown).toContain(REDACTED);
    expect(shown.toLowerCase()).not.toContain(secret);
  });

  test.each(['11.2.3.4', '1.2.3.45', '0.1.2.3.4', '1.2.3.4.5', '1x2.3.4'])(
    'that is short does not eat a part of %s',
    (text) => expect(createRedactor(['1.2.3.4']).redact(text)).toBe(text),
  );

  it('is never seen, however the output is split and wherever it pauses', () => {
    const word = fc.constantFrom(
      'key=',
      KEY,
      KEY.toUpperCase(),
      '1.2.3.4',
      ' ',
      ',',
      '\n',
      '0: kd> ',
      '2',
      '1.',
      '.',
    );
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 20 }),
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 70 }), pause: fc.boolean() }), { minLength: 1 }),
        (words, cuts) => {
          const redactor = createRedactor(['1.2.3.4', KEY]);
          const reader = new ConsoleReader((text) => redactor.unfinished(text));
          let shown = '';
          const take = (steps: readonly Step[]): void => {
            for (const step of steps) if (step.kind === 'text') shown += redactor.redact(step.text);
          };
          let rest = words.join('');
          for (let turn = 0; rest !== ''; turn++) {
            const { size, pause } = cuts[turn % cuts.length] ?? { size: 1, pause: false };
            take(reader.push(rest.slice(0, size)));
            rest = rest.slice(size);
            if (pause) take(reader.flush());
          }
          take(reader.end());
          // Whole or in part: eight characters of the key stand nowhere.
          for (let at = 0; at + 8 <= KEY.length; at++) {
            expect(shown.toLowerCase()).not.toContain(KEY.slice(at, at + 8));
          }
          expect(shown.replaceAll(REDACTED, 'x')).not.toMatch(/(?<![0-9a-z.])1\.2\.3\.4(?!\.?[0-9a-z])/i);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
