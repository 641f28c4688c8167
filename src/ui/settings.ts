/**
 * The `kdMcp.*` settings: the extension's own ones typed, those of the configuration schema as a person set them.
 *
 * Defaults of the schema are not repeated here: only values somebody set are handed on, so that the configuration file
 * keeps its say where VS Code has none.
 */
import * as vscode from 'vscode';

const SECTION = 'kdMcp';

/** Settings of the views, which no other program reads. */
const OWN = ['home', 'configFile', 'autoConnect', 'openAgentTerminals', 'haltWarningSec'];

export type AutoConnect = 'ask' | 'always' | 'never';

export interface OwnSettings {
  /** `--home`; undefined: the default folder. */
  readonly home: string | undefined;
  /** `--config`; undefined: looked for where every client looks. */
  readonly configFile: string | undefined;
  readonly autoConnect: AutoConnect;
  /** A session that an agent starts shows its terminal. */
  readonly openAgentTerminals: boolean;
  /** A halt that lasts longer is shown in warning colour, s; 0: never. */
  readonly haltWarningSec: number;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function ownSettings(): OwnSettings {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const autoConnect = settings.get<string>('autoConnect');
  return {
    home: text(settings.get('home')),
    configFile: text(settings.get('configFile')),
    openAgentTerminals: settings.get('openAgentTerminals', true),
    haltWarningSec: settings.get('haltWarningSec', 60),
    autoConnect: autoConnect === 'always' || autoConnect === 'never' ? autoConnect : 'ask',
  };
}

/** Names of the settings that mirror the configuration schema, without `kdMcp.`; taken from the manifest. */
export function mirroredNames(manifest: unknown): readonly string[] {
  const groups = (manifest as { contributes?: { configuration?: unknown } }).contributes?.configuration;
  return (Array.isArray(groups) ? groups : [groups])
    .flatMap((group) => Object.keys((group as { properties?: object } | undefined)?.properties ?? {}))
    .map((name) => name.slice(SECTION.length + 1))
    .filter((name) => !OWN.includes(name));
}

/** What a person (or an administrator) set, by name without `kdMcp.`. */
export function mirroredSettings(names: readonly string[]): Readonly<Record<string, unknown>> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value = settings.inspect(name)?.globalValue;
    if (value !== undefined && value !== '') found[name] = value;
  }
  return found;
}

/** Fires when any `kdMcp.*` setting changed. */
export function onSettingsChange(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(SECTION)) listener();
  });
}
