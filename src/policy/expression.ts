/** Expressions of kd: what evaluating them changes. `dx` can do much more than look: it is held to a list of methods. */
import type { Effect } from './effects.ts';
import { Unclear } from './scan.ts';

/** `=` that is no comparison and no arrow. */
const ASSIGNS = /(?<![=!<>])=(?![=>])|<<=|>>=/;
const COUNTS = /\+\+|--/;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
const NONE: readonly Effect[] = [];
const WRITES: readonly Effect[] = ['writes target'];

/**
 * Effects of an expression, or of arguments that hold some. MASM has no assignment, but a person may have made C++ the
 * default of the session.
 */
export function expressionEffects(text: string): readonly Effect[] {
  if (/@@/.test(text)) return cppEffects(text);
  return ASSIGNS.test(withoutStrings(text)) ? WRITES : NONE;
}

/** Effects of a C++ expression. @throws Unclear for a call */
export function cppEffects(text: string): readonly Effect[] {
  const code = withoutStrings(text).replace(/@@c\+\+/gi, '@@');
  const call = /([a-z_]\w*)\s*\(/gi;
  for (const [, name = ''] of code.matchAll(call)) {
    if (
      !/^(sizeof|masm|c|poi|by|wo|dwo|qwo|hi|low|not|FIELD_OFFSET|CONTAINING_RECORD|const|struct|ULONG_PTR)$/i.test(
        name,
      )
    ) {
      throw new Unclear(text, `${name}(…) is called`);
    }
  }
  if (/\bdebugger\b/i.test(code)) throw new Unclear(text, 'the debugger itself is named');
  return ASSIGNS.test(code) || COUNTS.test(code) ? WRITES : NONE;
}

/** Methods of collections, and a few that only look or select. */
const METHODS = new Set(
  (
    'select selectmany where orderby orderbydescending first firstordefault last take takewhile skip skipwhile ' +
    'count any all contains containsvalue distinct except concat intersect union groupby flatten sum min max average aggregate ' +
    'single join zip todisplaystring startswith endswith substring indexof toupper tolower length ' +
    'switchto getvalueorerror sizeof'
  ).split(' '),
);

/** Words that lead out of the target. */
const FORBIDDEN =
  /\b(utility|control|executecommand|filesystem|scripts?|scriptcontents|state|settings|debuggerrootnamespace|plugins|extensions|mcp|createfile|openfile)\b/i;
const OPTIONS = /^(?:-(?:r\d*|g|gc|c\s*\d*|n|nv|nh|v|id\s+\d+,\d+(?:,[0-9a-fx]+)?|id|f|h|x)\s+)*/i;

/** Effects of the arguments of `dx`. @throws Unclear for what is not on the list */
export function dxEffects(text: string): readonly Effect[] {
  const expression = text.replace(OPTIONS, '');
  const code = withoutStrings(expression);
  if (/^-[a-z]/i.test(code)) throw new Unclear(text, 'dx is given an option that is not known');
  if (
    /@"|\\|\$(?!\w)/.test(code) ||
    /\/[*/]|[\\$]"|["'`#;]/.test(code.replaceAll('""', '').replace(/(?<=[0-9a-f])`/gi, ''))
  ) {
    throw new Unclear(text, 'dx is given a comment, a quoted name or an escape');
  }
  const word = FORBIDDEN.exec(code)?.[1];
  if (word !== undefined) {
    throw new Unclear(
      text,
      `"${word}" leads out of the target: commands, files and scripts can be reached there`,
    );
  }
  if (/\bdebugger\b(?!\s*\.\s*sessions\b)/i.test(code)) {
    throw new Unclear(text, 'of "Debugger" only "Debugger.Sessions" is known');
  }
  if (/\]\s*\(/.test(code)) throw new Unclear(text, 'something that was indexed is called');
  // `(@$f)(1)` calls (real engine); `(nt!_EPROCESS *)(…)` is a cast.
  if (
    /(?<!\((?:[\w ]*![\w <>,:]*|[\w ]*\*|(?:unsigned |signed )?(?:char|short|int|long|__int64))[ *]*)\)\s*\(/i.test(
      code,
    )
  ) {
    throw new Unclear(text, 'something in brackets is called');
  }
  for (const [, sign = '', name = ''] of code.matchAll(/([@$]?)\b([a-z_]\w*)\s*(?:<[^()<>]*>\s*)?\(/gi)) {
    if (sign !== '' || !METHODS.has(name.toLowerCase()))
      throw new Unclear(text, `${sign}${name}(…) is called`);
  }
  const rest = withoutMemberNames(code);
  return ASSIGNS.test(rest) || COUNTS.test(rest) ? WRITES : NONE;
}

/** `new { Name = … }` assigns nothing. */
function withoutMemberNames(code: string): string {
  const member = /^\s*[a-z_]\w*\s*=(?![=>])/i;
  const open: string[] = [];
  let rest = code;
  let kept = '';
  while (rest !== '') {
    const sign = /^(?:new\s*\{|\w+|[^\w])/i.exec(rest)?.[0] ?? rest;
    rest = rest.slice(sign.length);
    kept += sign;
    if (/[{([]$/.test(sign)) open.push(sign);
    else if (/[})\]]$/.test(sign)) open.pop();
    const inNew = /^new/i.test(open.at(-1) ?? '');
    if (inNew && (sign === ',' || /\{$/.test(sign))) rest = rest.replace(member, ' ');
  }
  return kept;
}

/** Effects of the arguments of `r`. The debugger's own `$t0` to `$t19` are nobody's state but its own. */
export function registerEffects(text: string): readonly Effect[] {
  if (/@@/.test(text)) return WRITES;
  const rest = text.replace(/(?<![\w.$])@?\$t1?\d\s*=(?!=)/gi, ' ');
  return ASSIGNS.test(rest) ? WRITES : NONE;
}

function withoutStrings(text: string): string {
  return text.replace(STRING, '""');
}
