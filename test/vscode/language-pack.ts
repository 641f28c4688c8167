/**
 * The least that makes VS Code's server speak another language: a language pack without texts. VS Code's own stay English,
 * those of extensions come from their bundles.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Registers it as if it were installed. `data`: the server's user data. */
export function addLanguagePack(data: string, locale: string): void {
  const texts = join(data, 'no-texts.json');
  writeFileSync(texts, JSON.stringify({ '': [], version: '1.0.0', contents: {} }));
  const pack = {
    hash: 'no-texts',
    label: locale,
    extensions: [{ extensionIdentifier: { id: `kd-mcp-test.${locale}` }, version: '1.0.0' }],
    translations: { vscode: texts },
  };
  writeFileSync(join(data, 'languagepacks.json'), JSON.stringify({ [locale]: pack }));
}
