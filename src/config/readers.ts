/** The three readers of the schema: a YAML file, the environment, VS Code settings. */
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { ConfigInput, Origin } from './check.ts';
import { ConfigError } from './error.ts';
import type { Environment } from './home.ts';
import { SETTINGS, type Setting } from './schema.ts';

/** What one reader found, and where. */
export interface Reading {
  readonly input: ConfigInput;
  readonly origin: Origin;
}

/**
 * Reads YAML. Version 1.1, as the predecessor's library did: `yes` is true.
 * @throws ConfigError with file, line and column for text that is no YAML.
 */
export function readYaml(text: string, file: string): Reading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    prettyErrors: false,
    // Its warnings would go to stderr and quote the file.
    logLevel: 'error',
  });
  // A warning is a tag nobody knows: a command such as !process without quotes.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new ConfigError(
      `${file} line ${line}, column ${col}: not valid YAML: ${problem.message}${hintFor(problem.message)}`,
    );
  }
  const value = plainValue(document, file);
  if (value !== null && value !== undefined && (typeof value !== 'object' || Array.isArray(value))) {
    throw new ConfigError(
      `${file}: expected the keys kd: and security:, found ${Array.isArray(value) ? 'a list' : `the ${typeof value}`} at the top.`,
    );
  }
  const origin: Origin = (path) => {
    const node: unknown = document.getIn(path, true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    const start: unknown = Array.isArray(range) ? range[0] : undefined;
    return typeof start === 'number' && path.length > 0 ? `${file} line ${lines.linePos(start).line}` : file;
  };
  return { input: value === null || value === undefined ? {} : { ...value }, origin };
}

function plainValue(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias without its anchor, or too many of them.
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file}: not valid YAML: ${message}${hintFor(message)}`);
  }
}

function hintFor(message: string): string {
  if (/escape/i.test(message)) return ' (write Windows paths in single quotes)';
  return /alias|tag/i.test(message) ? ' (put a text that begins with ! or * in quotes)' : '';
}

type Named = Pick<Setting, 'key' | 'flatName'>;

/** Name of the environment variable of a setting: `KD_MCP_HALT_LEASE_SEC`. */
export function environmentName({ key, flatName = key }: Named): string {
  return `KD_MCP_${flatName.replace('.', '_').toUpperCase()}`;
}

function settingAt(path: readonly PropertyKey[]): Named {
  const [section, key] = path.map(String);
  return SETTINGS.find((one) => one.section === section && one.key === key) ?? { key: String(key) };
}

/** Reads `KD_MCP_<KEY>` variables. A list is a JSON array, or has one entry on each line. */
export function readEnvironment(env: Environment): Reading {
  const found = SETTINGS.flatMap((setting) => {
    const value = env[environmentName(setting)];
    return value === undefined || value === '' ? [] : [{ setting, value: fromText(setting, value) }];
  });
  return {
    input: nest(found),
    origin: (path) => `environment variable ${environmentName(settingAt(path))}`,
  };
}

function fromText(setting: Setting, value: string): unknown {
  if (setting.type === 'boolean')
    return (
      { true: true, '1': true, yes: true, false: false, '0': false, no: false }[value.toLowerCase()] ?? value
    );
  if (setting.type !== 'list') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: one entry on each line.
  }
  return value.split(/\r?\n/).filter((line) => line !== '');
}

/** True for what may be a VS Code setting: no secrets, which settings sync would copy, and nothing obsolete. */
export function isVscodeSetting(setting: Setting): boolean {
  return setting.secret !== true && setting.obsolete === undefined;
}

/** Name of a setting in VS Code: `kdMcp.haltLeaseSec`. */
export function vscodeName({ key, flatName = key }: Named): string {
  return `kdMcp.${flatName.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}

/**
 * Reads VS Code settings: an object of `kdMcp.*` values, with or without the prefix. Settings that are not this
 * program's (those of the views) are passed over. Give only values that a person set (VS Code's `inspect()`): a
 * default would win over the configuration file.
 * @throws ConfigError for a key that must not be kept in settings.
 */
export function readVscodeSettings(values: Readonly<Record<string, unknown>>): Reading {
  const found = SETTINGS.flatMap((setting) => {
    const name = vscodeName(setting);
    const value = values[name] ?? values[name.slice('kdMcp.'.length)];
    if (value === undefined) return [];
    if (!isVscodeSetting(setting)) {
      throw new ConfigError(
        `VS Code setting ${name}: not a setting. Put kd.${setting.key} into the configuration file.`,
      );
    }
    return [{ setting, value }];
  });
  return { input: nest(found), origin: (path) => `VS Code setting ${vscodeName(settingAt(path))}` };
}

function nest(found: readonly { readonly setting: Setting; readonly value: unknown }[]): ConfigInput {
  const input: Record<string, Record<string, unknown>> = {};
  for (const { setting, value } of found) {
    input[setting.section] = { ...input[setting.section], [setting.key]: value };
  }
  return input;
}

/** The `contributes.configuration.properties` of the extension's manifest. */
export function vscodeProperties(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return Object.fromEntries(
    SETTINGS.filter(isVscodeSetting).map((setting) => [
      vscodeName(setting),
      {
        type:
          setting.type === 'list'
            ? 'array'
            : isNumeric(setting)
              ? setting.type
              : setting.type === 'boolean'
                ? 'boolean'
                : 'string',
        ...(setting.type === 'list' ? { items: { type: 'string' } } : {}),
        ...(setting.choices === undefined ? {} : { enum: setting.choices }),
        ...(setting.minimum === undefined ? {} : { minimum: setting.minimum }),
        ...((setting.clampTo ?? setting.maximum) === undefined
          ? {}
          : { maximum: setting.clampTo ?? setting.maximum }),
        ...(setting.default === undefined ? {} : { default: setting.default }),
        // A workspace that somebody else wrote must not name programs to run or loosen the rules.
        scope: 'machine',
        markdownDescription: setting.meaning,
      },
    ]),
  );
}

function isNumeric(setting: Setting): boolean {
  return setting.type === 'integer' || setting.type === 'number';
}
