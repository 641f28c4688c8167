import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCommandLine, effectOf, splitLines } from '../../../src/kd/command.ts';
import { segmentsOf } from '../../../src/kd/segments.ts';

describe('a request of several lines', () => {
  test('is several commands; blank lines are dropped, other blanks are kept', () => {
    expect(splitLines('r\r\n\n  k \r\t\nlm')).toEqual(['r', '  k ', 'lm']);
    expect(splitLines(' \n\r\n')).toEqual([]);
  });
});

describe('a line is refused', () => {
  test.each([
    ['when it is empty', '', /empty/],
    ['when it is blank', ' \t', /empty/],
    ['for a control byte', 'r\u0002', /U\+0002.*break_in/],
    ['for an escape', '\u001b[0m', /U\+001B/],
    ['for a NUL', 'r\0', /U\+0000/],
    ['for a line break', 'r\nk', /line break/],
    ['for text that is not ASCII', '.echo 한글', /"한" \(U\+D55C\).*code page/],
    ['for an emoji', '.echo 🙂', /U\+1F642/],
    ['for a lone surrogate', 'r \ud800', /surrogate/],
    ['at 4,097 characters', 'r'.repeat(4097), /4097 characters; kd takes 4096/],
  ])('%s', (_why, line, expected) => {
    expect(checkCommandLine(line)).toMatch(expected);
  });

  test('not for anything printable of at most 4,096 characters', () => {
    const printable = fc
      .array(
        fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
        { maxLength: 4096, size: 'max' },
      )
      .map((characters) => characters.join(''))
      .filter((line) => line.trim() !== '');
    fc.assert(fc.property(printable, (line) => checkCommandLine(line) === undefined));
    expect(checkCommandLine('r'.repeat(4096))).toBeUndefined();
    expect(checkCommandLine('\tr')).toBeUndefined();
  });
});

describe('the commands of a line', () => {
  const texts = (line: string) => segmentsOf(line).map(({ text }) => text);

  test.each([
    ['r; k ;lm', ['r', 'k', 'lm']],
    ['.printf "a;b"; k', ['.printf "a;b"', 'k']],
    ['bp nt!X ".echo \\"a;b\\"; g"; g', ['bp nt!X ".echo \\"a;b\\"; g"', 'g']],
    ['* a comment; g', []],
    ['r; * a comment; g', ['r']],
    ['$$ a comment; g', ['g']],
    ['$$>a<c:\\x.txt 1; g', ['$$>a<c:\\x.txt 1', 'g']],
    ['$<c:\\a;b.txt', ['$<c:\\a;b.txt']],
    ['as x r; g', ['as x r; g']],
    ['aS x r; g', ['aS x r', 'g']],
    ['as /x y 1; g', ['as /x y 1', 'g']],
    ['.shell dir; g', ['.shell dir; g']],
    ['.sympath c:\\a;c:\\b', ['.sympath c:\\a;c:\\b']],
    ['.echo it"s; g', ['.echo it"s; g']],
    ['.echo "a;b"; g', ['.echo "a;b"', 'g']],
    ['.echo a"b;c"d; g', ['.echo a"b;c"d', 'g']],
    ['.echo a"b;c"d"e; g', ['.echo a"b;c"d"e; g']],
    ['.echo a\\"b; g', ['.echo a\\"b; g']],
    ['.echo "a\\"; g', ['.echo "a\\"', 'g']],
    [".echo it's; g", [".echo it's", 'g']],
    ['.echo a {b; g', ['.echo a {b', 'g']],
    ['$$ a "b; g', ['g']],
    [
      '.for (r $t0=0; @$t0<2; r $t0=@$t0+1) { k; r }; lm',
      ['.for (r $t0=0; @$t0<2; r $t0=@$t0+1) { k; r }', 'lm'],
    ],
    ['.block { r; k }; g', ['.block { r; k }', 'g']],
    ['~0 e r; g', ['~0 e r; g']],
    [' ; ;', []],
  ])('%s', (line, expected) => {
    expect(texts(line)).toEqual(expected);
  });

  test('are found in any line, in order, without loss of anything but separators and comments', () => {
    fc.assert(
      fc.property(fc.string(), (line) => {
        let at = 0;
        for (const text of texts(line)) {
          const found = line.indexOf(text, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + text.length;
        }
      }),
    );
  });
});

describe('the effect of a line', () => {
  test.each(
    "g|gh|gn|gN|gc|gu|g@rip|g=fffff800`1|gh=@$ip|g nt!X|G|~0 g|~0g|~*p|p|p 5|pa nt!X|pct|t|ta @rip|tb|wt|wt -l 3|r;g|k ; g|$$ x ; g|.echo it's; g".split(
      '|',
    ),
  )('%s lets the target run', (line) => {
    expect(effectOf(line)).toMatchObject({ resumes: true, mayResume: true });
  });

  test.each(
    'r|k|lm|* g|$$ g|.echo g|.echo "; g"|.echo it"s; g|as x g;g|.shell g;g|bp nt!X "k;g;r"|!process 0 0|~0s|~1s|.printf "g;g"|eb 0 1|.time|dt nt!_X|.sympath c:\\a;g|wrmsr 1 2|~*k|.reload'.split(
      '|',
    ),
  )('%s does not', (line) => {
    expect(effectOf(line)).toMatchObject({ resumes: false, mayResume: false });
  });

  test.each([
    '.if (1) { g }',
    '.if (1) { k } .else { gu }',
    '.while (1) { .block { t } }',
    "j @rax=1 'k;g' ; 'r'",
    '~0 e g',
    '.catch { r; g',
  ])('%s may', (line) => {
    expect(effectOf(line)).toMatchObject({ resumes: false, mayResume: true });
  });

  test('tells a step from a run', () => {
    expect(effectOf('p').steps).toBe(true);
    expect(effectOf('wt').steps).toBe(true);
    expect(effectOf('g; p').steps).toBe(false);
    expect(effectOf('r; t').steps).toBe(true);
  });

  test.each([
    'q',
    'qq',
    'qd',
    'QD',
    'k; q',
    '.kill',
    '.detach',
    '.abandon',
    '.restart',
    '.restart /f',
    '\u0002',
    '.if (1) { qd }',
  ])('%j ends the session', (line) => {
    expect(effectOf(line).endsSession).toBe(true);
  });

  test.each(['.reboot', '.crash', 'r;.REBOOT'])('%s restarts or crashes the target', (line) => {
    expect(effectOf(line).reboots).toBe(true);
  });

  test.each(['.echo q', '* q', 'qword', '.reload', '.killfoo'])('%s does neither', (line) => {
    expect(effectOf(line)).toMatchObject({ endsSession: false, reboots: false });
  });

  test('is found for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'g;p"\\{}()$*~.if e\'j') }),
        (line) => void effectOf(line),
      ),
    );
  });
});
