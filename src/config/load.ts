/** Finds the configuration file, lays the environment and VS Code settings over it, and makes paths absolute. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodeText } from '../state-file/decode.ts';
import { checkConfig, type Origin } from './check.ts';
import { ConfigError } from './error.ts';
import { type Environment, userFolders, userHomeFolder } from './home.ts';
import { expandPath, expandVariables } from './paths.ts';
import { type Reading, readEnvironment, readVscodeSettings, readYaml } from './readers.ts';
import { type Config, SETTINGS } from './schema.ts';

export interface LoadOptions {
  /** `--config FILE`. */
  readonly path?: string;
  /** Default: the process's own. */
  readonly env?: Environment;
  /** The user's home folder (for `~`), where the account's own is not meant. */
  readonly home?: string;
  /** The user's configuration folder of KD-MCP, where the account's own is not meant. */
  readonly configFolder?: string;
  /** VS Code settings; a value here wins over the file and the environment. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly platform?: NodeJS.Platform;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read, if there is one. */
  readonly path?: string;
  /** The files that were looked for: what to tell somebody who expects another. */
  readonly searched: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Loads the configuration. Without a file all defaults hold.
 * @throws ConfigError with file, key, expected and found; or the file named by `--config`/`KD_MCP_CONFIG` that cannot be read.
 */
export function loadConfig(options: LoadOptions = {}): LoadedConfig {
  const env = options.env ?? process.env;
  const userHome = options.home ?? userHomeFolder(env);
  const file = readFile(options, env, userHome);
  const readings = [
    ...(file.reading === undefined ? [] : [file.reading]),
    readEnvironment(env),
    ...(options.settings === undefined ? [] : [readVscodeSettings(options.settings)]),
  ];
  const { input, origin } = merge(readings);
  const { config: checked, warnings } = checkConfig(input, origin);
  const config = withStateFile(checked, options.platform ?? process.platform);
  const base = file.path === undefined ? userHome : dirname(file.path);
  return {
    config: expandPaths(config, { env, userHome, base }, origin),
    ...(file.path === undefined ? {} : { path: file.path }),
    searched: file.searched,
    warnings,
  };
}

/** All defaults: what holds while the real configuration cannot be read. */
export function defaultConfig(): Config {
  const userHome = userHomeFolder();
  const { config } = checkConfig({}, () => 'the defaults');
  return expandPaths(
    withStateFile(config, process.platform),
    { env: {}, userHome, base: userHome },
    () => 'the defaults',
  );
}

/** The predecessor's path, so that WinRM-MCP needs no change; elsewhere the like in the user's home folder. */
function withStateFile(config: ReturnType<typeof checkConfig>['config'], platform: NodeJS.Platform): Config {
  const fallback = platform === 'win32' ? 'C:\\mcp-state\\kd-session.json' : '~/mcp-state/kd-session.json';
  return { ...config, kd: { ...config.kd, state_file: config.kd.state_file ?? fallback } };
}

function readFile(
  options: LoadOptions,
  env: Environment,
  userHome: string,
): { readonly path?: string; readonly reading?: Reading; readonly searched: readonly string[] } {
  const fromEnvironment = env.KD_MCP_CONFIG;
  const [named, by] =
    options.path !== undefined ? [options.path, '--config'] : [fromEnvironment || undefined, 'KD_MCP_CONFIG'];
  if (named !== undefined) {
    const path = expandNamed(named, by, { env, userHome, base: process.cwd() });
    const text = readText(path);
    if (text === undefined)
      throw new ConfigError(
        `The configuration file ${path} named by ${by} does not exist. Create it or correct ${by}.`,
      );
    return { path, reading: readYaml(text, path), searched: [path] };
  }
  const folder = options.configFolder ?? userFolders().config;
  const searched = [join(folder, 'config.yaml'), join(folder, 'config.yml')];
  for (const path of searched) {
    const text = readText(path);
    if (text !== undefined) return { path, reading: readYaml(text, path), searched };
  }
  return { searched };
}

function expandNamed(
  named: string,
  by: string,
  expansion: { env: Environment; userHome: string; base: string },
): string {
  try {
    return resolve(expandPath(named, expansion));
  } catch (error) {
    throw new ConfigError(`${by} ${named}: ${messageOf(error)}.`);
  }
}

function readText(path: string): string | undefined {
  try {
    return decodeText(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigError(`The configuration file ${path} cannot be read: ${messageOf(error)}.`);
  }
}

/** Later readings win, key by key; patterns that deny add up, so that no reader loosens what another forbids. */
function merge(readings: readonly Reading[]): Reading {
  const input: Record<string, unknown> = {};
  const origins = new Map<string, Origin>();
  for (const reading of readings) {
    for (const [section, values] of Object.entries(reading.input)) {
      const before = input[section];
      origins.set(section, reading.origin);
      if (!isMapping(values)) {
        // An empty section says nothing; anything else is wrong and must reach the check.
        if (values !== null || before === undefined) input[section] = values;
        continue;
      }
      const merged: Record<string, unknown> = isMapping(before) ? { ...before } : {};
      for (const [key, value] of Object.entries(values)) {
        const denied = merged.denied_patterns;
        const adds = key === 'denied_patterns' && Array.isArray(denied) && Array.isArray(value);
        merged[key] = adds ? [...denied, ...value] : value;
        origins.set(`${section}.${key}`, reading.origin);
      }
      input[section] = before === undefined || before === null || isMapping(before) ? merged : before;
    }
  }
  const first = readings[0]?.origin;
  const origin: Origin = (path) => {
    const [section, key] = path.map(String);
    const of = origins.get(`${section}.${key}`) ?? origins.get(section ?? '') ?? first;
    return of?.(path) ?? 'the configuration';
  };
  return { input, origin };
}

function expandPaths(
  config: Config,
  expansion: { env: Environment; userHome: string; base: string },
  origin: Origin,
): Config {
  const kd: Record<string, unknown> = { ...config.kd };
  for (const setting of SETTINGS) {
    const value = kd[setting.key];
    if (typeof value !== 'string') continue;
    // A bare program name is looked up in PATH by the search for kd.
    if (setting.type === 'path' && !(setting.key === 'kd_exe' && /^[\w.-]+$/.test(value))) {
      try {
        kd[setting.key] = expandPath(value, expansion);
      } catch (error) {
        throw new ConfigError(`${origin(['kd', setting.key])}: kd.${setting.key}: ${messageOf(error)}.`);
      }
    }
    if (setting.type === 'symbol-path') kd[setting.key] = expandVariables(value, expansion).text;
  }
  // Only texts were replaced by texts.
  return { ...config, kd: kd as Config['kd'] };
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
