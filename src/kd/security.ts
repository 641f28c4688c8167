/** The `security:` section of the configuration, applied to one line. The session's own `g` and breaks are not asked. */
import { deniedPattern } from '../config/pattern.ts';
import { segmentsOf } from './segments.ts';

/** The two lists, as `config.security` holds them. */
export interface SecurityLists {
  readonly allowed_command_prefixes: readonly string[];
  readonly denied_patterns: readonly string[];
}

/**
 * Why the configuration forbids a line, naming the entry; undefined when it does not.
 *
 * Stricter than the predecessor, where the prefix `lm` also let `lm; eb …` through: each command of the line must
 * have an allowed prefix.
 */
export function checkSecurity(line: string, security: SecurityLists): string | undefined {
  const denied = security.denied_patterns.find((entry) => deniedPattern(entry).test(line));
  if (denied !== undefined) {
    return `Not sent: the configuration forbids lines with ${JSON.stringify(denied)} (security.denied_patterns). Ask the person to run it or to change the list.`;
  }
  const prefixes = security.allowed_command_prefixes.map((prefix) => prefix.toLowerCase().trimStart());
  if (prefixes.length === 0) return undefined;
  const outside = segmentsOf(line).find(
    ({ text }) => !prefixes.some((prefix) => text.toLowerCase().startsWith(prefix)),
  );
  if (outside === undefined) return undefined;
  const allowed = security.allowed_command_prefixes.map((prefix) => JSON.stringify(prefix)).join(', ');
  return `Not sent: ${JSON.stringify(outside.text.slice(0, 80))} begins with none of the texts in security.allowed_command_prefixes: ${allowed}.`;
}
