/**
 * Hostile lines: a command that is dangerous, hidden by what kd-behaviour.md §11.2 lists, several times over.
 *
 * Each transformation keeps the command alive for kd under some reading of the line, so that no level below what the
 * command needs may let the line pass.
 */
import fc from 'fast-check';

/** Commands that no level below `unrestricted` may let pass. */
export const FOR_NOBODY = [
  '.shell calc',
  '!!calc',
  '.create c:\\x.exe',
  '.attach 4',
  '.load evil',
  '.loadby evil nt',
  '!c:\\x\\evil.cmd',
  '!\\\\server\\x\\evil.cmd',
  '!evil.cmd',
  '!nosuchcommand',
  '.scriptload c:\\x.js',
  '.scriptrun c:\\x.js',
  '.nvload x',
  '.logopen c:\\x.txt',
  '.logappend c:\\x.txt',
  '.writemem c:\\x @rsp L10',
  '.readmem c:\\x @rsp L10',
  '.dump c:\\x.dmp',
  '.kdfiles x',
  '.opendump x',
  '$<c:\\x.txt',
  '$><c:\\x.txt',
  '$$<c:\\x.txt',
  '$$><c:\\x.txt',
  '$$>a<c:\\x.txt 1',
  '.server tcp:port=5',
  '.sympath \\\\evil\\x',
  '.sympath http://evil/x',
  '.exepath \\\\evil\\x',
  '.extpath c:\\x',
  '.reload \\\\evil\\x.sys',
  'as x .shell',
  'aS x y',
  'as /ma x @rcx',
  'r $.u0=.shell',
  '$u0 calc',
  '.pcmd -s .shell',
  '.ocommand x',
  '.outmask 0',
  '.expr /s c++',
  'n 10',
  '.foreach (v {da @rcx}) {v}',
  'dx Debugger.Utility.Control.ExecuteCommand(1)',
  'dx @$f(1)',
  'lsf c:\\x.txt',
  'q',
  'qq',
  'qd',
  '.kill',
  '.detach',
  '.restart',
] as const;

/** Commands that `debug` may let pass, and `inspect` may not. */
export const FOR_DEBUG = [
  'eb @rsp 90',
  'ed@rsp 1',
  'eza @rcx 1',
  'f @rsp L1 0',
  'm @rsp L1 @rcx',
  'r rax=1',
  'r@rax=1',
  'wrmsr 10 1',
  'ob 64 fe',
  'g',
  'gu',
  'p',
  't',
  'wt',
  '.reboot',
  '.crash',
  'bp nt!X',
  'ba e1 nt!X',
  'bc *',
  'sxe ld',
  '!eb 0 1',
  '.call nt!X(1)',
  '.dvalloc 10',
  '.process /i @$proc',
  '.pagein 1000',
  '?? @rax=1',
  '?? *(int*)@rsp=1',
  'dx *(int*)1=1',
  '? @@c++(@rax=1)',
] as const;

type Transformation = fc.Arbitrary<(command: string) => string>;

const blank = fc.constantFrom('', ' ', '\t', '  ', ' \t ');
const before = fc.constantFrom(
  'k',
  'r rax',
  '.echo a',
  '.echo "a"',
  '.echo "a;b"',
  '.printf "x\\n"',
  '.printf "a;b"',
  '$$ note',
  '? 1',
  'dx 1',
  'lm m nt',
  'r$t0=1',
  '!process 0 0',
  'bl',
  '~0s',
  '~*k',
  '.reload',
  'db @rsp',
  '.if (1) { k }',
  '.block { k }',
  '.for (k;1;k) { r }',
  '.catch { k }',
  '',
  ';',
  'dt nt!_X',
  '.sympath',
  '||',
  'z(0)',
  '!list -t a.b -x "k" 0',
  '!for_each_module "k"',
);
const after = fc.constantFrom(
  '',
  ';',
  '; k',
  ' ;r',
  '; * note',
  '; $$ note',
  ';;',
  '; .echo "a;b"',
  '; .block { k }',
);

const randomCase: Transformation = fc
  .array(fc.boolean(), { minLength: 8, maxLength: 8 })
  .map(
    (upper) => (command) =>
      command.replace(/[a-z]/gi, (letter, index: number) =>
        upper[index % upper.length] ? letter.toUpperCase() : letter.toLowerCase(),
      ),
  );

const chained: Transformation = fc.tuple(before, blank, blank, after).map(
  ([first, left, right, last]) =>
    (command) =>
      `${first}${left};${right}${command}${last}`,
);

const escaped = (command: string): string => command.replace(/[\\"]/g, '\\$&');
const quotesEscaped = (command: string): string => command.replace(/"/g, '\\"');

const nested: Transformation = fc
  .tuple(
    fc.constantFrom<(inner: string) => string>(
      (inner) => `bp nt!X "${escaped(inner)}"`,
      (inner) => `bp nt!X "${quotesEscaped(inner)}"`,
      (inner) => `bu3 x!y 5 "k;${escaped(inner)}"`,
      (inner) => `ba e1 nt!X "${escaped(inner)};gc"`,
      (inner) => `bm x!* "${escaped(inner)}"`,
      (inner) => `bs 0 "${escaped(inner)}"`,
      (inner) => `sxe -c "${escaped(inner)}" ld`,
      (inner) => `sxe -c2 "${escaped(inner)}" av`,
      (inner) => `sx- -c "${escaped(inner)}" ld`,
      (inner) => `t "${escaped(inner)}"`,
      (inner) => `p 3 "${quotesEscaped(inner)}"`,
      (inner) => `~0 pa x "${escaped(inner)}"`,
      (inner) => `.if ( ') { .echo A ' ) { ${inner} } }`,
      (inner) => `j 1 ${inner} 'k' ; 'r'`,
      (inner) => `j (1)${inner} 'k' ; 'r'`,
      (inner) => `.if (1) {${inner}}`,
      (inner) => `.if (0) { k } .else { ${inner} }`,
      (inner) => `.if (0) {k} .elsif (1) {${inner}} .else {r}`,
      (inner) => `.while (1) { k;${inner} }`,
      (inner) => `.for (${inner}; 1; k) { k }`,
      (inner) => `.for (k; 1; ${inner}) { k }`,
      (inner) => `.for (k; 1; k) { ${inner} }`,
      (inner) => `.do { ${inner} } (0)`,
      (inner) => `.block{${inner}}`,
      (inner) => `.catch { ${inner} }`,
      (inner) => `.foreach (v {k}) { ${inner} }`,
      (inner) => `.foreach /s (v "a") { ${inner} }`,
      (inner) => `j 1 '${inner}' ; 'k'`,
      (inner) => `j (@rax==1) 'k' ; '${inner}'`,
      (inner) => `${inner}; z(1)`,
      (inner) => `~*e ${inner}`,
      (inner) => `~0 e k;${inner}`,
      (inner) => `~0e ${inner}`,
      (inner) => `!for_each_process "${escaped(inner)}"`,
      (inner) => `!for_each_module ${inner}`,
      (inner) => `!list -t a.b -x "${escaped(inner)}" 0`,
      (inner) => `!list "-t a.b -x \\"${inner}\\" 0"`,
      (inner) => `.pcmd -s "${escaped(inner)}"`,
      (inner) => `as x ${inner}`,
      (inner) => `r $.u0=${inner}`,
      (inner) => `dx Debugger.Utility.Control.ExecuteCommand("${escaped(inner)}")`,
      (inner) => `.block { .block { .catch { ${inner} } } }`,
    ),
  )
  .map(([wrap]) => wrap);

/** Quotes and comments put before the command, so that a reader who takes them otherwise than kd overlooks it. */
const misquoted: Transformation = fc
  .tuple(
    fc.constantFrom(
      '!process 0 0 "a;* ";',
      "!process 0 0 'a;* ';",
      'da "a;$$ ";',
      'u `a;* `;',
      '.echo it"s;',
      ".echo it's;",
      '.echo "a" "b;',
      '$$ "a;',
      "$$ it's;",
      '.printf "a\\\\";',
      '.printf "a\\"";',
      'dx "a\\";',
      '.if (1) { * x };',
      '.if (1) { $$ x };',
      '.if (1) { .echo "}" };',
      '.if (1) { .echo "{" } };',
      'bp nt!X "k\\\\";',
      'bp nt!X "k" ;',
      '.echo \\"a;',
      's -a 0 L10 "a;',
      'r $t0;',
      ".formats 'a;'",
      '.for (.echo "a;b";',
      '.sympath C:\\a;',
    ),
    blank,
    fc.constantFrom('', '"', "'", '`', ' }', '"; k', '\\"'),
  )
  .map(
    ([first, left, last]) =>
      (command) =>
        `${first}${left}${command}${last}`,
  );

const padded: Transformation = fc.tuple(blank, blank).map(
  ([left, right]) =>
    (command) =>
      `${left}${command}${right}`,
);
const spread: Transformation = fc.constantFrom<(command: string) => string>(
  (command) => command.replace(' ', '\t'),
  (command) => command.replace(' ', '   '),
  (command) => command.replace(/ (?=[@$"(*])/, ''),
);
const bytes: Transformation = fc
  .tuple(
    fc.constantFrom(
      '\u0000',
      '\u0002',
      '\u0006',
      '\u000b',
      '\u001b',
      '\u001c',
      '\n',
      '\r',
      '\u00a0',
      '\u200b',
      '한',
      '；',
    ),
    fc.nat(20),
  )
  .map(
    ([character, at]) =>
      (command) =>
        `${command.slice(0, at)}${character}${command.slice(at)}`,
  );

const transformation: Transformation = fc.oneof(
  { weight: 4, arbitrary: chained },
  { weight: 6, arbitrary: nested },
  { weight: 4, arbitrary: misquoted },
  { weight: 2, arbitrary: randomCase },
  { weight: 2, arbitrary: padded },
  { weight: 1, arbitrary: spread },
  { weight: 1, arbitrary: bytes },
);

/** A command of `commands` in a line that hides it. */
export function hidden(commands: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...commands), fc.array(transformation, { minLength: 0, maxLength: 4 }))
    .map(([command, steps]) => steps.reduce((line, step) => step(line), command));
}

/** Any text, made of what matters to the parser. */
export const noise: fc.Arbitrary<string> = fc.oneof(
  fc.string({
    unit: fc.oneof(
      fc.constantFrom(...';"\'`\\{}()$*~.!?@|<>=&#%, \t'),
      fc.constantFrom(
        '.if ',
        '.else ',
        '.for ',
        'bp x ',
        '.echo ',
        '$$',
        '$u0',
        '${',
        '@@c++(',
        'dx ',
        '!list ',
        '-x ',
        '~*e ',
        'j 1 ',
        '.printf ',
        'as ',
        'k',
        'g',
        'eb 0 1',
        '.shell x',
      ),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 40,
  }),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
