import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isVscodeSetting, vscodeName, vscodeProperties } from '../../../src/config/readers.ts';
import { settingsReference } from '../../../src/config/reference.ts';
import { SETTINGS } from '../../../src/config/schema.ts';

test('docs/settings.md is what `npm run docs` makes of the schema', () => {
  expect(readFileSync('docs/settings.md', 'utf8')).toBe(settingsReference());
});

test('every setting has a meaning', () => {
  for (const setting of SETTINGS) expect(setting.meaning, setting.key).toMatch(/\.$/);
});

test('secrets and settings without effect are not offered in VS Code', () => {
  const offered = SETTINGS.filter(isVscodeSetting).map((setting) => setting.key);
  for (const key of ['default_key', 'default_kdnet', 'server_port']) expect(offered).not.toContain(key);
  expect(Object.keys(vscodeProperties())).toEqual(SETTINGS.filter(isVscodeSetting).map(vscodeName));
  expect(vscodeProperties()['kdMcp.haltLeaseSec']).toMatchObject({
    type: 'number',
    default: 300,
    minimum: 1,
    scope: 'machine',
  });
});
