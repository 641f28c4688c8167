/**
 * Writes the settings of the schema into the extension's manifest: `contributes.configuration` of `package.json` and
 * the English texts of `package.nls.json`. `node src/config/manifest.ts`, part of `npm run docs`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vscodeProperties } from './readers.ts';

/** Settings of the views, which only the extension reads. */
const OWN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'kdMcp.autoConnect': {
    type: 'string',
    enum: ['ask', 'always', 'never'],
    enumDescriptions: [
      '%setting.autoConnect.ask%',
      '%setting.autoConnect.always%',
      '%setting.autoConnect.never%',
    ],
    default: 'ask',
    scope: 'application',
    markdownDescription: '%setting.autoConnect%',
  },
  'kdMcp.openAgentTerminals': {
    type: 'boolean',
    default: true,
    scope: 'window',
    markdownDescription: '%setting.openAgentTerminals%',
  },
  'kdMcp.haltWarningSec': {
    type: 'number',
    minimum: 0,
    default: 60,
    scope: 'window',
    markdownDescription: '%setting.haltWarningSec%',
  },
  'kdMcp.configFile': {
    type: 'string',
    default: '',
    scope: 'machine',
    markdownDescription: '%setting.configFile%',
  },
  'kdMcp.home': { type: 'string', default: '', scope: 'machine', markdownDescription: '%setting.home%' },
};

/** What a workspace may decide, or cannot anyway. */
const HARMLESS = ['kdMcp.autoConnect', 'kdMcp.openAgentTerminals', 'kdMcp.haltWarningSec'];

const short = (name: string): string => name.slice('kdMcp.'.length);

/** `contributes.configuration`: the extension's own settings, then those of the schema. */
export function manifestConfiguration(): readonly unknown[] {
  const numbered = (properties: Readonly<Record<string, object>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, each], order) => [name, { ...each, order }]));
  const mirrored = Object.fromEntries(
    Object.entries(vscodeProperties()).map(([name, each]) => [
      name,
      { ...each, markdownDescription: `%setting.${short(name)}%` },
    ]),
  );
  return [
    { title: '%configuration.extension%', order: 1, properties: numbered(OWN) },
    { title: '%configuration.debugger%', order: 2, properties: numbered(mirrored) },
  ];
}

/** The English texts of the schema's settings, by their key in `package.nls.json`. */
export function manifestTexts(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(vscodeProperties()).map(([name, each]) => [
      `setting.${short(name)}`,
      String(each.markdownDescription),
    ]),
  );
}

/** Settings a workspace must not decide: programs, paths, rules. */
export function restrictedConfigurations(): readonly string[] {
  return [...Object.keys(OWN), ...Object.keys(vscodeProperties())]
    .filter((name) => !HARMLESS.includes(name))
    .sort();
}

function rewrite(name: string, change: (content: Record<string, unknown>) => void): void {
  const path = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof content !== 'object' || content === null) throw new Error(`${name} is no JSON object`);
  const copy: Record<string, unknown> = { ...content };
  change(copy);
  writeFileSync(path, `${JSON.stringify(copy, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rewrite('package.json', (manifest) => {
    manifest.contributes = { ...(manifest.contributes as object), configuration: manifestConfiguration() };
    const capabilities = manifest.capabilities as { untrustedWorkspaces: object };
    manifest.capabilities = {
      ...capabilities,
      untrustedWorkspaces: {
        ...capabilities.untrustedWorkspaces,
        restrictedConfigurations: restrictedConfigurations(),
      },
    };
  });
  rewrite('package.nls.json', (texts) => {
    for (const [key, text] of Object.entries(manifestTexts())) texts[key] = text;
  });
}
