/** From what a reader found to a {@link Config}, or to an error a person can act on. */
import type { core } from 'zod';
import { ConfigError, nearest } from './error.ts';
import { type Config, ConfigSchema, SETTINGS, type Setting } from './schema.ts';

/** Nested values as a reader found them: `{ kd: { … }, security: { … } }`. */
export type ConfigInput = Readonly<Record<string, unknown>>;

/** Says where the value at a path comes from, e.g. `C:\x\config.yaml line 4` or `environment variable KD_MCP_HALT_LEASE_SEC`. */
export type Origin = (path: readonly PropertyKey[]) => string;

type Unresolved = Omit<Config, 'kd'> & {
  kd: Omit<Config['kd'], 'state_file'> & { state_file?: string | undefined };
};

/**
 * Checks input against the schema and fills in the defaults. Empty values (`key:` with nothing behind it) count as
 * not set.
 * @throws ConfigError that names each wrong key.
 */
export function checkConfig(
  input: unknown,
  origin: Origin,
): { readonly config: Unresolved; readonly warnings: string[] } {
  const filled = dropEmpty(input);
  const parsed = ConfigSchema.safeParse(filled);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.flatMap((issue) => describeIssue(issue, filled, origin)).join('\n'),
    );
  }
  return { config: parsed.data, warnings: warningsFor(filled, origin) };
}

function dropEmpty(input: unknown): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== 'object' || Array.isArray(input)) return input;
  const entries = Object.entries(input).map(([section, values]): [string, unknown] => {
    if (values === null) return [section, {}];
    if (typeof values !== 'object' || Array.isArray(values)) return [section, values];
    return [
      section,
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== '')),
    ];
  });
  return Object.fromEntries(entries);
}

function warningsFor(input: unknown, origin: Origin): string[] {
  return SETTINGS.flatMap((setting) => {
    const path = [setting.section, setting.key];
    const value = valueAt(input, path);
    if (value === undefined) return [];
    const name = path.join('.');
    if (setting.obsolete !== undefined)
      return [`${origin(path)}: ${name} has no effect: ${setting.obsolete} Remove it.`];
    if (setting.clampTo !== undefined && Number(value) > setting.clampTo) {
      return [
        `${origin(path)}: ${name}: ${String(value)} is lowered to ${setting.clampTo}, because clients give up after 60 s.`,
      ];
    }
    return [];
  });
}

function describeIssue(issue: core.$ZodIssue, input: unknown, origin: Origin): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => describeUnknownKey([...issue.path.map(String), key], origin));
  }
  const [section, key] = issue.path.map(String);
  const setting = SETTINGS.find((candidate) => candidate.section === section && candidate.key === key);
  const name = issue.path.map(String).join('.') || 'the configuration';
  const expected =
    setting === undefined ? 'a mapping of keys to values' : expectedAt(setting, issue.path.length);
  const why = issue.code === 'custom' ? ` (${issue.message})` : '';
  return [
    `${origin(issue.path)}: ${name}: expected ${expected}${why}, found ${found(valueAt(input, issue.path), setting)}.`,
  ];
}

function expectedAt(setting: Setting, depth: number): string {
  if (depth < 3) return setting.expected;
  return setting.key === 'denied_patterns' ? 'a text or a /regular expression/' : 'a text';
}

function describeUnknownKey(path: readonly string[], origin: Origin): string {
  const [section, key] = path;
  if (key === undefined) {
    const meant = nearest(section ?? '', ['kd', 'security']);
    const misplaced = SETTINGS.find((setting) => setting.key === section);
    const hint =
      misplaced !== undefined
        ? ` It belongs under ${misplaced.section}:.`
        : meant === undefined
          ? ''
          : ` Did you mean ${meant}?`;
    return `${origin(path)}: unknown key ${section}: expected kd or security.${hint}`;
  }
  const siblings = SETTINGS.filter((setting) => setting.section === section).map((setting) => setting.key);
  const meant = nearest(key, siblings);
  const elsewhere = SETTINGS.find((setting) => setting.key === key);
  const hint =
    elsewhere !== undefined
      ? `it belongs under ${elsewhere.section}:.`
      : meant !== undefined
        ? `did you mean ${meant}?`
        : `the keys under ${section} are ${siblings.join(', ')}.`;
  return `${origin(path)}: unknown key ${path.join('.')}: ${hint}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

/** A value as a message may show it: short, and never that of a secret. */
function found(value: unknown, setting: Setting | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  const kind = Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'a mapping'
      : `the ${typeof value}`;
  if (typeof value === 'object' || setting?.secret === true) return kind.replace('the ', 'a ');
  const shown = JSON.stringify(value) ?? String(value);
  return `${kind} ${shown.length > 60 ? `${shown.slice(0, 57)}…` : shown}`;
}
