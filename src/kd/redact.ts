/**
 * Takes secrets out of text before anybody sees it: a transcript, a log, a result. In any case of letters, and as text
 * that was escaped for a URL or for JSON.
 *
 * Stateless: pieces must not end inside a secret. {@link Redactor.unfinished} tells how much of an unfinished line
 * to keep back for that.
 */

/** What stands in the place of a secret. */
export const REDACTED = '<redacted>';

export interface Redactor {
  /** From now on this is a secret too. */
  add(secret: string): void;
  redact(text: string): string;
  /** Length of the longest end of `text` that may be the beginning of a secret. */
  unfinished(text: string): number;
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let fixed = redactorOf([]);
  const add = (secret: string): void => {
    if (secret === '' || known.has(secret)) return;
    known.add(secret);
    fixed = redactorOf([...known]);
  };
  for (const secret of secrets) add(secret);
  return { add, redact: (text) => fixed.redact(text), unfinished: (text) => fixed.unfinished(text) };
}

/** A short one such as the hand-made key 1.2.3.4 must not eat the middle of an address or a number. */
const LONG = 16;
/** Only text with one of these is looked at once more: most output has none, and the plain search is much faster. */
const ESCAPE = /%[0-9a-f]{2}|\\(?:u00|["/])/i;
/** A text that was quoted in short may have been cut inside a secret. */
const ELLIPSIS = /\.{3}|…/;
/** Less of a secret is nothing. */
const A_PART = 8;
const HALF_ESCAPE = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?)$/;
/** The longest spelling of a character: `\u002e`. */
const LONGEST_ESCAPE = 6;

function redactorOf(secrets: readonly string[]): Omit<Redactor, 'add'> {
  const known = [...secrets].sort((a, b) => b.length - a.length);
  const longest = known[0];
  if (longest === undefined) return { redact: (text) => text, unfinished: () => 0 };
  const plain = new RegExp(known.map((secret) => bounded(secret, literal(secret), '')).join('|'), 'gi');
  const escaped = new RegExp(
    known.map((secret) => bounded(secret, [...secret].map(spellings).join(''), AFTER_ESCAPE)).join('|'),
    'gi',
  );
  const long = known.filter((secret) => secret.length >= LONG);
  const cut = long.length === 0 ? undefined : new RegExp(long.map(beginningOf).join('|'), 'gi');
  const lower = known.map((secret) => secret.toLowerCase());
  return {
    redact: (text) => {
      const shown = text.replace(plain, REDACTED);
      const bare = ESCAPE.test(shown) ? shown.replace(escaped, REDACTED) : shown;
      return cut !== undefined && ELLIPSIS.test(bare) ? bare.replace(cut, REDACTED) : bare;
    },
    unfinished: (text) => {
      const end = text.slice(-longest.length * LONGEST_ESCAPE - 1).toLowerCase();
      const from = /[%\\]/.test(end) ? 0 : Math.max(0, end.length - longest.length - 1);
      // Half an escape: what stands before a short secret decides whether it is one.
      const half = HALF_ESCAPE.exec(end)?.[0].length ?? 0;
      for (let at = from; at < end.length - half; at++)
        if (lower.some((secret) => endsWithin(end, at, secret))) return end.length - at;
      return half;
    },
  };
}

/** `key%3D1.2.3.4`: what stands before it ends in a letter and is an escaped sign. */
const AFTER_ESCAPE = '|(?<=%[0-9a-f]{2}|\\\\u[0-9a-f]{4}|\\\\[nrt])';

function bounded(secret: string, pattern: string, orBehind: string): string {
  if (secret.length >= LONG) return pattern;
  return `(?:(?<![0-9A-Za-z.])${orBehind})${pattern}(?!\\.?[0-9A-Za-z])`;
}

/** As much of a secret as stands before an ellipsis. */
function beginningOf(secret: string): string {
  const rest = [...secret.slice(A_PART)].reduceRight((more, one) => `(?:${literal(one)}${more})?`, '');
  return `${literal(secret.slice(0, A_PART))}${rest}(?=\\.{3}|…)`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

/** A character as itself, `%2e`, `\u002e`, or behind a backslash. */
function spellings(character: string): string {
  const code = hexOf(character);
  const other = hexOf(
    character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
  );
  return `(?:\\\\?${literal(character)}|%(?:${code}|${other})|\\\\u00(?:${code}|${other}))`;
}

/** Does `text` end inside a spelling of `secret` that begins at `at`? Both in lower case. */
function endsWithin(text: string, at: number, secret: string): boolean {
  for (const character of secret) {
    if (at >= text.length) return true;
    if (text[at] === character) at += 1;
    else {
      const rest = text.slice(at, at + LONGEST_ESCAPE);
      const found = escapesOf(character).find((one) => rest.startsWith(one) || one.startsWith(rest));
      if (found === undefined) return false;
      at += found.length;
    }
  }
  // Complete: but a short one may go on and be none.
  return at >= text.length;
}

const spelled = new Map<string, readonly string[]>();

function escapesOf(character: string): readonly string[] {
  const known = spelled.get(character);
  if (known !== undefined) return known;
  const codes = [hexOf(character), hexOf(character.toUpperCase())];
  const escapes = [
    ...codes.map((code) => `%${code}`),
    ...codes.map((code) => `\\u00${code}`),
    `\\${character}`,
  ];
  spelled.set(character, escapes);
  return escapes;
}
