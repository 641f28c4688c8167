/** Makes `docs/settings.md` from the schema: `node src/config/reference.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { environmentName, isVscodeSetting, vscodeName } from './readers.ts';
import { SETTINGS, type Setting } from './schema.ts';

/** The reference of all settings as Markdown. */
export function settingsReference(): string {
  const current = SETTINGS.filter((setting) => setting.obsolete === undefined);
  const obsolete = SETTINGS.filter((setting) => setting.obsolete !== undefined);
  return `# Settings

<!-- Made from src/config/schema.ts by \`npm run docs\`. Do not edit. -->

A YAML file with the sections \`kd:\` and \`security:\`. It is taken from \`--config FILE\`, then from the environment
variable \`KD_MCP_CONFIG\`, then from \`config.yaml\` in the user's configuration folder (Windows:
\`%APPDATA%\\kd-mcp\\Config\`, Linux: \`~/.config/kd-mcp\`, macOS: \`~/Library/Preferences/kd-mcp\`). Without a file the
defaults hold. Files of the Python predecessor work as they are.

Each key can also be an environment variable (\`${environmentName({ key: 'halt_lease_sec' })}\`; for \`security.level\`
\`${environmentName({ key: 'level', flatName: 'security.level' })}\`), which wins over the file, and most are VS Code settings
(\`${vscodeName({ key: 'halt_lease_sec' })}\`), which win over both. Entries of \`denied_patterns\` add up.
An unknown key or a wrong type is an error that names file, line and key.

In paths, \`~\`, \`%NAME%\` and \`\${NAME}\` are replaced; relative paths are relative to the file they stand in.

| Key | Type | Default | Meaning |
|---|---|---|---|
${current.map(row).join('\n')}

VS Code settings: ${current
    .filter(isVscodeSetting)
    .map((setting) => `\`${vscodeName(setting)}\``)
    .join(', ')}.

Accepted from older files, with a warning and without effect: ${obsolete.map((setting) => `\`${setting.section}.${setting.key}\``).join(', ')}.
Every client shares one session now, so no debugger server is needed.
`;
}

function row(setting: Setting): string {
  const cells = [
    `\`${setting.section}.${setting.key}\``,
    typeOf(setting),
    defaultOf(setting),
    setting.meaning,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(setting: Setting): string {
  switch (setting.type) {
    case 'choice':
      return (setting.choices ?? []).map((choice) => `\`${choice}\``).join(', ');
    case 'list':
      return 'list of texts';
    case 'symbol-path':
      return 'symbol path';
    case 'integer':
    case 'number':
      return setting.expected.replace(/^an? /, '');
    case 'path':
    case 'text':
    case 'boolean':
      return setting.type;
  }
}

function defaultOf(setting: Setting): string {
  if (setting.defaultText !== undefined) return setting.defaultText;
  return setting.default === undefined ? 'none' : `\`${JSON.stringify(setting.default)}\``;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../../docs/settings.md', import.meta.url), settingsReference());
}
