import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitHead, fitTail, oneLine, plainText, wireBytes } from '../../../src/tools/text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .array(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      { maxLength: 400 },
    )
    .map((a) => a.join('')),
  fc
    .array(fc.constantFrom('\n', '\r\n', '"', '\\', 'a', '한', '😀', '\u001b[31m', '\ud800', '\u009d'), {
      maxLength: 400,
    })
    .map((a) => a.join('')),
);

describe('plain text', () => {
  it('has no control characters but tab and line feed, and is well-formed', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = plainText(text);
        expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(plain.isWellFormed()).toBe(true);
      }),
    );
  });

  it('keeps tabs, blank lines, blanks at line ends and text in any language', () => {
    const text = 'a\tb  \n\n  c  \n한국어 😀\n';
    expect(plainText(text)).toBe(text);
  });

  it('disarms escape sequences, 8-bit controls, text that reorders and invisible tags', () => {
    expect(plainText('\u001b]52;c;ZWNobyBoaQ==\u0007x\u009d8;;y\u202ez\u{e0041}\u{e007f}')).toBe(
      ']52;c;ZWNobyBoaQ==x8;;yz',
    );
  });

  it('fits on one line of the wanted length', () => {
    expect(oneLine('a\r\n  b\tc')).toBe('a b c');
    expect(oneLine('x'.repeat(500), 10)).toBe('xxxxxxxxx…');
  });
});

describe('cutting to a budget', () => {
  it('never exceeds the budget, and what it says it took is a beginning or an end of the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 600 }), (raw, budget) => {
        for (const fit of [fitHead(raw, budget), fitTail(raw, budget)]) {
          expect(wireBytes(fit.text)).toBeLessThanOrEqual(budget);
          expect(fit.rawBytes).toBeLessThanOrEqual(Buffer.byteLength(raw));
          if (fit.complete) expect(fit.text).toBe(plainText(raw));
        }
      }),
    );
  });

  it('goes on exactly where it stopped', () => {
    fc.assert(
      fc.property(
        anyText.map((text) => text.toWellFormed()),
        fc.integer({ min: 20, max: 200 }),
        (raw, budget) => {
          const bytes = Buffer.from(raw, 'utf8');
          let at = 0;
          let seen = '';
          while (at < bytes.length) {
            const fit = fitHead(bytes.toString('utf8', at), budget);
            expect(fit.rawBytes).toBeGreaterThan(0);
            seen += fit.text;
            at += fit.rawBytes;
          }
          expect(seen).toBe(plainText(raw));
        },
      ),
    );
  });

  it('prefers a line end', () => {
    expect(fitHead('first line\nsecond line\nthird line\n', 30).text).toBe('first line\nsecond line\n');
    expect(fitTail('first line\nsecond line\nthird line\n', 30).text).toBe('second line\nthird line\n');
  });
});
