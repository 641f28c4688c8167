/** What kd is started with: arguments, environment, working folder. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StartOptions } from '../../src/client/sessions.ts';
import { AGENT, CLI, createRig, KEY, type Rig } from './rig.ts';

interface Seen {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly files: readonly string[];
  readonly mode: number;
}

/** A kd that writes down what surrounds it, and ends. */
const LOOKER = `
import { readdirSync, statSync, writeFileSync } from 'node:fs';
const [seen, ...args] = process.argv.slice(2);
const cwd = process.cwd();
const mode = statSync(cwd).mode & 0o777;
writeFileSync(seen, JSON.stringify({ args, env: process.env, cwd, files: readdirSync(cwd), mode }));
process.exit(1);
`;

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.dispose());

async function start(
  options: Partial<StartOptions> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Seen> {
  const looker = join(rig.home, 'looker.mjs');
  const seen = join(rig.home, 'seen.json');
  writeFileSync(looker, LOOKER);
  const sessions = rig.sessions(AGENT, { program: { command: process.execPath, script: CLI, env } });
  const kd = [process.execPath, looker, seen] as const;
  const { connection } = rig.guest.start();
  await expect(sessions.start({ connection, kd, ...options })).rejects.toThrow();
  return JSON.parse(readFileSync(seen, 'utf8'));
}

describe('kd is started', () => {
  test('without a shell, with the connection and what else was asked for as arguments', async () => {
    const { args } = await start({ symbolPath: 'srv*C:\\symbols*https://h/a b' });
    expect(args).toEqual(expect.arrayContaining(['-noshell', '-k', `net:port=${rig.guest.port},key=${KEY}`]));
    expect(args.join(' ')).toContain('-y srv*C:\\symbols*https://h/a b');
    expect(args).not.toContain('-bonc');
  });

  test('without the variables that change what it does', async () => {
    const { env } = await start(
      {},
      { _NT_SYMBOL_PATH: 'x', _NT_DEBUGGER_EXTENSION_PATH: 'x', KDQUIET: '1', DBGENG_X: '1', KD_SECRET: 'x' },
    );
    const names = Object.keys(env).filter((name) => /^(_NT_|KD|DBGENG|NODE_OPTIONS)/i.test(name));
    expect(names).toEqual([]);
    expect(JSON.stringify(env)).not.toContain(KEY);
    expect(Object.keys(env).map((name) => name.toUpperCase())).toContain('PATH');
  });

  test('in an empty folder of its own, also in the folder that a person named', async () => {
    const named = join(rig.home, 'kd work');
    mkdirSync(named);
    writeFileSync(join(named, 'ntsd.ini'), '.echo somebody else’s commands\n');
    for (const workdir of [undefined, named]) {
      const { cwd, files, mode } = await start(workdir === undefined ? {} : { workdir });
      expect(files).toEqual([]);
      expect(cwd).not.toBe(named);
      expect(cwd.startsWith(realpathSync(workdir ?? rig.home))).toBe(true);
      if (process.platform !== 'win32') expect(mode).toBe(0o700);
    }
  });
});
