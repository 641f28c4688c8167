/** The two lists of the `security:` section: they narrow further what a level allows. */
import { deniedPattern } from '../config/pattern.ts';

/** The two lists, as `config.security` holds them. */
export interface SecurityLists {
  readonly allowed_command_prefixes: readonly string[];
  readonly denied_patterns: readonly string[];
}

/**
 * Why the configuration forbids a line, naming the entry; undefined when it does not.
 *
 * Stricter than the predecessor, where the prefix `lm` also let `lm; eb …` through: each command must have an allowed
 * prefix, also those inside quotes and braces.
 * @param commands the commands of the line; undefined: they are not known
 */
export function checkLists(
  line: string,
  commands: readonly string[] | undefined,
  security: SecurityLists,
): string | undefined {
  const denied = security.denied_patterns.find((entry) =>
    [line, ...(commands ?? [])].some((text) => deniedPattern(entry).test(text)),
  );
  if (denied !== undefined) {
    return `Not sent: the configuration forbids lines with ${JSON.stringify(denied)} (security.denied_patterns). Ask the person to run it or to change the list.`;
  }
  const prefixes = security.allowed_command_prefixes.map((prefix) => prefix.toLowerCase().trimStart());
  if (prefixes.length === 0) return undefined;
  const allowed = security.allowed_command_prefixes.map((prefix) => JSON.stringify(prefix)).join(', ');
  if (commands === undefined) {
    return `Not sent: the commands of the line cannot be told apart, and only those that begin with one of security.allowed_command_prefixes are allowed: ${allowed}.`;
  }
  const outside = commands.find((text) => !prefixes.some((prefix) => text.toLowerCase().startsWith(prefix)));
  if (outside === undefined) return undefined;
  return `Not sent: ${JSON.stringify(outside.slice(0, 80))} begins with none of the texts in security.allowed_command_prefixes: ${allowed}.`;
}
