import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { secretsTyped } from '../../../src/kd/arguments.ts';
import { ConsoleReader, type Step } from '../../../src/kd/framing.ts';
import { createRedactor, REDACTED } from '../../../src/kd/redact.ts';

const KEY = '2steg4fzbj2sz.23418vzkd4ko3.1g34ou07z4pev.1sp3yo9yz874p';

test.each([
  [`.server npipe:pipe=kd,password=hunter22`, ['hunter22']],
  [`.server tcp:port=5005,password=hunter22,ipversion=4; k`, ['hunter22']],
  [`kd -k net:port=50000,key=${KEY}`, [KEY]],
  [`.echo Key=${KEY}`, [KEY]],
  ['.echo key=5', []],
  ['.server npipe:pipe=kd,password=abc', []],
  ['!reg querykey password=yes', []],
])('a secret that is typed in a line is learnt: %s', (line, secrets) => {
  expect([...new Set(secretsTyped(line))]).toEqual(secrets);
});

describe('a secret', () => {
  test('that is named later is taken out from then on, and those before still are', () => {
    const redactor = createRedactor(['first1234']);
    redactor.add('second123');
    expect(redactor.redact('first1234 second123')).toBe(`${REDACTED} ${REDACTED}`);
  });

  test.each([
    [`key=${KEY},target=x`, KEY],
    [`Key=${KEY.toUpperCase()}`, KEY],
    [`xx${KEY}yy`, KEY],
    ['Trans=@{NET:Port=50000,Key=1.2.3.4,Target}', '1.2.3.4'],
    ['1.2.3.4', '1.2.3.4'],
    ['at 1.2.3.4.', '1.2.3.4'],
    ['1.2.3.4:50000', '1.2.3.4'],
    [`".server npipe:pipe=kd,password=${KEY.slice(0, 30)}..." is refused`, KEY.slice(0, 8)],
    [`${KEY.slice(0, 14)}...`, KEY.slice(0, 8)],
    ['net%3Aport%3D50000%2Ckey%3D1.2.3.4', '1.2.3.4'],
    ['{"k":"net:port=50000,\\u006bey\\u003d1.2.3.4"}', '1.2.3.4'],
    // As kd, bcdedit, kdnet, a URL, a script and JSON spell it.
    [`Busparams=1.0.0, Key=${KEY.toUpperCase()}`, KEY],
    [`.kdtargetmac net:port=50000,key=${KEY}`, KEY],
    [`[0x0] : Remote KD: KdSrv:Server=@{<Local>},Trans=@{NET:Port=50000,Key=${KEY}}`, KEY],
    [`key                     ${KEY}`, KEY],
    [`kd%3Akey%3D${KEY.replaceAll('.', '%2E')}`, KEY],
    [`"-k","net:port=50000,key=${KEY.replaceAll('.', '\\u002e')}"`, KEY],
    [[...KEY].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''), KEY],
    ['{"password":"p\\"w%20d\\u0021!"}', 'p"w d!!'],
    ['Password=p%22w+d', 'p"w+d'],
    ['password=PASSWORD1,x', 'password1'],
  ])('is taken out of %s', (text, secret) => {
    const shown = createRedactor([KEY.startsWith(secret) ? KEY : secret]).redact(text);
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
      KEY.replaceAll('.', '%2e'),
      [...KEY].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(''),
      '%2',
      '\\u00',
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
          shown = shown.replace(/%([0-9a-f]{2})|\\u00([0-9a-f]{2})/gi, (_, one?: string, two?: string) =>
            String.fromCharCode(Number.parseInt(one ?? two ?? '', 16)),
          );
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
