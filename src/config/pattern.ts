/** Compiles an entry of `denied_patterns`: a text, or a `/regular expression/`; case never matters, as it does not to kd. */

/** @throws SyntaxError for a `/…/` that is no regular expression. */
export function deniedPattern(entry: string): RegExp {
  const source = /^\/(.+)\/[a-z]*$/s.exec(entry)?.[1];
  return new RegExp(source ?? entry.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'i');
}
