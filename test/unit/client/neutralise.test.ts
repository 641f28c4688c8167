import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neutralise } from '../../../src/client/neutralise.ts';

const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('text of the target in a terminal', () => {
  test('an escape sequence becomes something to read', () => {
    expect(neutralise('a\x1b[31mred\x1b[0m')).toBe('a\u241b[31mred\u241b[0m');
  });

  test('the clipboard cannot be written (OSC 52), nor the title, whatever ends the sequence', () => {
    expect(neutralise('\x1b]52;c;aGk=\x07')).toBe('\u241b]52;c;aGk=\u2407');
    expect(neutralise('\x1b]0;owned\x1b\\')).toBe('\u241b]0;owned\u241b\\');
  });

  test('8-bit controls are as harmless as 7-bit ones', () => {
    expect(neutralise('\u009b2J\u009d52;c;x\u009c')).toBe('<U+009B>2J<U+009D>52;c;x<U+009C>');
  });

  test('a line cannot overwrite or reorder itself', () => {
    expect(neutralise('safe\rEVIL\b\b')).toBe('safeEVIL\u2408\u2408');
    expect(neutralise('\u202egpj.exe')).toBe('<U+202E>gpj.exe');
  });

  test('tabs, newlines and text of any language stay', () => {
    expect(neutralise('\t커널 😀\r\nline\n')).toBe('\t커널 😀\nline\n');
  });

  test('nothing a terminal obeys is left, and any split of the text gives the same', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\x1b', '[', ']', '5', '2', ';', '\x07', '\u009b', '\r', '\n', 'm', '\x00'),
        fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
      ),
    });
    fc.assert(
      fc.property(nasty, fc.nat(), (text, at) => {
        const cut = text.length === 0 ? 0 : at % text.length;
        const whole = neutralise(text);
        expect(OBEYED.test(whole)).toBe(false);
        expect(neutralise(text.slice(0, cut)) + neutralise(text.slice(cut))).toBe(whole);
      }),
    );
  });
});
