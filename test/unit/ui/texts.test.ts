/** Texts for people: none without its Korean, none left over, and what the manifest names exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  manifestConfiguration,
  manifestTexts,
  restrictedConfigurations,
} from '../../../src/config/manifest.ts';

const root = new URL('../../../', import.meta.url);
const json = (name: string): Record<string, unknown> => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

/** The literals of all `t('…')` calls in the views. */
function sourceTexts(): string[] {
  const files = readdirSync(new URL('src/ui/', root)).filter((name) => name.endsWith('.ts'));
  const texts = files.flatMap((name) => {
    const source = readFileSync(new URL(`src/ui/${name}`, root), 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '');
    return [...source.matchAll(/(?<![\w.])t\(\s*(?:'((?:[^'\\]|\\.)*)'|(?!message))/g)].map(
      ([call, text]) => {
        if (text === undefined) throw new Error(`${name}: ${call}… is not a call with a literal`);
        return text;
      },
    );
  });
  return [...new Set(texts)].sort();
}

const placeholders = (text: string) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort();

describe('texts of the views', () => {
  const korean = json('l10n/bundle.l10n.ko.json');

  test('each has its Korean, and no Korean is left over', () => {
    expect(Object.keys(korean).sort()).toEqual(sourceTexts());
  });

  test('the Korean keeps the placeholders', () => {
    for (const [english, text] of Object.entries(korean)) {
      expect(placeholders(String(text)), english).toEqual(placeholders(english));
    }
  });
});

describe('texts of the manifest', () => {
  const english = json('package.nls.json');
  const korean = json('package.nls.ko.json');
  const manifest = readFileSync(new URL('package.json', root), 'utf8');

  test('each %key% exists, and none is left over', () => {
    const used = new Set([...manifest.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    expect(Object.keys(english).sort()).toEqual([...used].sort());
  });

  test('the Korean has the same keys, and the same commands and settings in its links', () => {
    expect(Object.keys(korean).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(korean)) {
      const links = (each: unknown) => String(each).match(/\((command|https):[^)]*\)|`[^`]*`/g) ?? [];
      if (key !== 'setting.deniedPatterns')
        expect(links(text).sort(), key).toEqual(links(english[key]).sort());
    }
  });

  test('settings are those of the schema, keys of KDNET never among them (npm run docs)', () => {
    const { contributes, capabilities } = JSON.parse(manifest);
    expect(contributes.configuration).toEqual(manifestConfiguration());
    expect(capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(restrictedConfigurations());
    expect(english).toMatchObject(manifestTexts());
    expect(JSON.stringify(contributes.configuration)).not.toMatch(/defaultKey|defaultKdnet/);
  });

  test('each command of a menu, a link or a status item is declared', () => {
    const { contributes } = JSON.parse(manifest);
    const declared = contributes.commands.map((each: { command: string }) => each.command);
    const used = [...`${manifest}${JSON.stringify(english)}`.matchAll(/kdMcp\.[a-z]\w+(?="|\))/g)].map(
      ([id]) => id,
    );
    const commands = Object.values(contributes.menus).flat() as { command: string }[];
    expect(declared).toEqual(expect.arrayContaining(commands.map((each) => each.command)));
    expect(used.length).toBeGreaterThan(0);
    const registered =
      readFileSync(new URL('src/ui/commands.ts', root), 'utf8').match(/'kdMcp\.\w+'(?=:)/g) ?? [];
    expect(registered.map((each) => each.slice(1, -1)).sort()).toEqual([...declared].sort());
  });
});
