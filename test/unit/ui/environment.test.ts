import { expect, test } from 'vitest';
import {
  environmentName,
  isVscodeSetting,
  readEnvironment,
  vscodeName,
} from '../../../src/config/readers.ts';
import { SETTINGS } from '../../../src/config/schema.ts';
import { asEnvironment } from '../../../src/ui/environment.ts';

const short = (name: string) => name.slice('kdMcp.'.length);

test('each setting goes by the name under which the programs read it', () => {
  for (const setting of SETTINGS.filter(isVscodeSetting)) {
    expect(Object.keys(asEnvironment({ [short(vscodeName(setting))]: 'x' }))).toEqual([
      environmentName(setting),
    ]);
  }
});

test('lists, numbers and switches arrive as they were set', () => {
  const env = asEnvironment({
    deniedPatterns: ['.reboot', '/^e[bdq]/'],
    haltLeaseSec: 60,
    autoInitialBreak: true,
  });
  expect(readEnvironment(env).input).toEqual({
    kd: { halt_lease_sec: '60', auto_initial_break: true },
    security: { denied_patterns: ['.reboot', '/^e[bdq]/'] },
  });
});
