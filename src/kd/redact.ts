/**
 * Takes secrets out of text before anybody sees it: a transcript, a log, a result.
 *
 * Stateless: pieces must not end inside a secret. {@link Redactor.unfinished} tells how much of an unfinished line
 * to keep back for that.
 */

/** What stands in the place of a secret. */
export const REDACTED = '<redacted>';

export interface Redactor {
  /** Takes out `secret` too from now on. */
  add(secret: string): void;
  redact(text: string): string;
  /** Length of the longest end of `text` that may be the beginning of a secret. */
  unfinished(text: string): number;
}

export function createRedactor(secrets: readonly string[]): Redactor {
  let known = secrets;
  let fixed = redactorOf(known);
  return {
    add: (secret) => {
      known = [...known, secret];
      fixed = redactorOf(known);
    },
    redact: (text) => fixed.redact(text),
    unfinished: (text) => fixed.unfinished(text),
  };
}

function redactorOf(secrets: readonly string[]): Omit<Redactor, 'add'> {
  const known = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  if (known.length === 0) return { redact: (text) => text, unfinished: () => 0 };
  // A short hand-made key such as 1.2.3.4 must not eat the middle of an address or a number.
  const pattern = new RegExp(
    known
      .map((secret) => {
        const literal = secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
        return secret.length >= 16 ? literal : `(?<![0-9A-Za-z.])${literal}(?!\\.?[0-9A-Za-z])`;
      })
      .join('|'),
    'gi',
  );
  const lower = known.map((secret) => secret.toLowerCase());
  return {
    redact: (text) => text.replace(pattern, REDACTED),
    unfinished: (text) => {
      const end = text.slice(-(lower[0]?.length ?? 0) - 1).toLowerCase();
      for (let length = end.length; length > 0; length--) {
        const last = end.slice(-length);
        if (lower.some((secret) => secret.startsWith(last))) return length;
      }
      return 0;
    },
  };
}
