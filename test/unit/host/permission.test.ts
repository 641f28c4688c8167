/** What agents may send, as the session host decides it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Permission, startRefusal } from '../../../src/host/permission.ts';
import {
  type ClientIdentity,
  type HostStart,
  type Level,
  type Limits,
  NO_LISTS,
} from '../../../src/host/protocol.ts';
import type { Connection } from '../../../src/kd/connection.ts';
import { AGENT, type CoreRig, coreRig, OTHER, PERSON, settled } from './core-rig.ts';

const at = (level: Level, security = NO_LISTS): Limits => ({ level, security });
const only = (prefix: string): Limits['security'] => ({ ...NO_LISTS, allowed_command_prefixes: [prefix] });

let rig: CoreRig;
function rigAt(level: Level, security = NO_LISTS): CoreRig {
  rig = coreRig('running', undefined, at(level, security));
  rig.engine.stop(AGENT);
  return rig;
}
afterEach(() => rig?.dispose());

const index = () =>
  readFileSync(join(rig.folder, 'commands.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));

describe('a line of an agent', () => {
  test.each([
    ['inspect', 'eb @rsp 1', 'writes to the target', 'debug'],
    ['inspect', 'k; g', 'controls what the target executes', 'debug'],
    ['debug', '.shell dir', 'runs a program on the host', 'unrestricted'],
    ['debug', 'bp nt!X ".logopen c:\\\\x"', 'writes files of the host', 'unrestricted'],
    ['debug', '.sympath \\\\evil\\share', 'uses the network from the host', 'unrestricted'],
    ['debug', '.reload /f \\\\evil\\x.sys', 'cannot be understood', 'unrestricted'],
  ] as const)(
    'at %s, %j is not sent: what it does, the level, the next step',
    async (level, line, what, needs) => {
      rigAt(level);
      const refused = expect(rig.command(AGENT, { lines: [line] })).rejects;
      await refused.toThrow(what);
      await refused.toThrow(`at level "${needs}"; the level is "${level}"`);
      await refused.toThrow('"KD: Set Agent Level…" in VS Code');
      expect(rig.engine.asked).toEqual([]);
    },
  );

  test('names the safe way where there is one', async () => {
    rigAt('debug');
    await expect(rig.command(AGENT, { lines: ['.logopen c:\\x'] })).rejects.toThrow(
      /Instead: read_output.* Or: ask the person/,
    );
    await expect(rig.command(AGENT, { lines: ['q'] })).rejects.toThrow(/No level .* Instead: stop_kd [^"]*$/);
  });

  test('that is a slip is told to be one before anybody is asked', async () => {
    rigAt('debug');
    await expect(rig.command(AGENT, { lines: ['.nosuch'] })).rejects.toThrow(
      /no command that is known.*Next: check the spelling.* or ask the person/,
    );
  });

  test('is sent when the level allows it, and the result says what it does', async () => {
    rigAt('debug');
    const { results } = await rig.command(AGENT, { lines: ['r', 'eb @rsp 1; p'] });
    expect(results.map(({ effects }) => effects)).toEqual([
      ['reads target'],
      ['writes target', 'controls execution'],
    ]);
    await rig.command(AGENT, {
      lines: ['.symfix', '.sympath srv*https://msdl.microsoft.com/download/symbols'],
    });
    expect(rig.engine.asked).toHaveLength(4);
  });

  test('keeps all other lines of its request back, and each refused one is named', async () => {
    rigAt('inspect');
    await expect(rig.command(AGENT, { lines: ['r', 'eb 0 1', 'k', '.shell x'] })).rejects.toThrow(
      /^Nothing was sent\. line 2 \("eb 0 1"\): .*\nline 4 \("\.shell x"\): /,
    );
    expect(rig.engine.asked).toEqual([]);
  });

  test('is refused as an answer where it would harm as a command, or writes to the target', async () => {
    rigAt('debug');
    rig.engine.set({ state: 'asking', question: 'Input>' });
    await expect(rig.command(AGENT, { lines: ['.shell x'], answer: true })).rejects.toThrow('runs a program');
    rig.core.permission.setLevel('inspect', AGENT);
    await expect(rig.command(AGENT, { lines: ['41'], answer: true })).rejects.toThrow('writes to the target');
    expect(rig.engine.asked).toEqual([]);
    await rig.command(PERSON, { lines: ['41'], answer: true });
    expect(index().at(-1)).toMatchObject({ text: '41', effects: ['writes target'], verdict: 'allowed' });
  });

  test('that waits is not sent any more when the level was lowered meanwhile', async () => {
    rigAt('debug');
    rig.engine.autoOutput = undefined;
    const first = rig.command(OTHER, { lines: ['!process 0 0'] });
    const second = rig.command(AGENT, { lines: ['eb 0 1'] });
    await settled();
    rig.core.permission.setLevel('inspect', PERSON);
    rig.engine.end();
    await first;
    expect((await second).results[0]).toMatchObject({ outcome: 'dropped', error: /writes to the target/ });
    expect(rig.engine.asked).toEqual(['other: !process 0 0']);
    expect(index().at(-1)).toMatchObject({ text: 'eb 0 1', verdict: 'refused' });
  });
});

test('a person may send everything, at any level and whatever the lists say', async () => {
  rigAt('inspect', only('lm'));
  const { results } = await rig.command(PERSON, { lines: ['.shell dir'] });
  expect(results[0]).toMatchObject({ outcome: 'done', effects: ['host program'] });
});

test('the index holds who, what without secrets, class, verdict, when and outcome; of refused lines too', async () => {
  rigAt('debug');
  await rig.command(PERSON, { lines: ['.shell dir'] });
  await rig.command(AGENT, { lines: ['r'] });
  await expect(rig.command(AGENT, { lines: ['.shell echo SECRET'] })).rejects.toThrow();
  const [shell, r, refused] = index();
  expect(shell).toMatchObject({ by: PERSON, effects: ['host program'], verdict: 'allowed', outcome: 'done' });
  expect(r).toMatchObject({ seq: 2, text: 'r', by: AGENT, effects: ['reads target'], verdict: 'allowed' });
  expect(refused).toMatchObject({
    seq: 0,
    text: '.shell echo <redacted>',
    by: AGENT,
    effects: ['host program'],
    verdict: 'refused',
    outcome: 'refused',
    error: expect.stringContaining('runs a program on the host'),
    at: expect.any(Number),
  });
  expect(JSON.stringify(index())).not.toContain('SECRET');
});

describe('levels', () => {
  const allows = (permission: Permission, line: string, limits?: Limits, by: ClientIdentity = AGENT) =>
    permission.judge({ line, answer: false, by, limits }).refusal === undefined;

  test('anyone lowers, only a person raises, and an agent is told how', () => {
    const permission = new Permission(at('debug'));
    permission.setLevel('inspect', AGENT);
    expect(permission.level).toBe('inspect');
    expect(() => permission.setLevel('debug', AGENT)).toThrow(
      /Only a person .*"inspect".*KD: Set Agent Level/,
    );
    expect(permission.level).toBe('inspect');
    permission.setLevel('unrestricted', PERSON);
    expect(allows(permission, '.shell dir')).toBe(true);
  });

  test('an agent whose own configuration says less gets less, until a person gives their word', () => {
    const permission = new Permission(at('unrestricted'));
    expect(allows(permission, 'eb 0 1', at('inspect'))).toBe(false);
    expect(allows(permission, 'eb 0 1', at('debug'))).toBe(true);
    expect(allows(permission, '.shell dir', at('debug'))).toBe(false);
    permission.setLevel('debug', PERSON);
    expect(allows(permission, 'eb 0 1', at('inspect')), 'lowered, not raised').toBe(false);
    permission.setLevel('debug', PERSON);
    expect(allows(permission, 'eb 0 1', at('inspect'))).toBe(true);
    permission.setLevel('inspect', AGENT);
    expect(allows(permission, 'eb 0 1', at('inspect'))).toBe(false);
  });

  test('no configuration of an agent gives it more than the session', () => {
    expect(allows(new Permission(at('inspect')), 'eb 0 1', at('unrestricted'))).toBe(false);
  });

  test('the lists of the session and those of the agent both hold', () => {
    const permission = new Permission(at('debug', { ...NO_LISTS, denied_patterns: ['/^eb\\b/'] }));
    expect(allows(permission, 'k; eb 0 1')).toBe(false);
    expect(allows(permission, 'r', at('debug', only('lm')))).toBe(false);
    expect(allows(permission, 'lm', at('debug', only('lm')))).toBe(true);
  });
});

test('an agent may go back to the symbol path of the configuration, and to no other that it could not set itself', () => {
  const path = 'srv*C:\\symbols*https://symbols.example/x';
  const allows = (line: string, level: Level, security = NO_LISTS) =>
    new Permission(at(level, security), path).judge({ line, answer: false, by: AGENT }).refusal === undefined;
  expect(allows(`.sympath ${path}`, 'debug')).toBe(true);
  expect(allows(`.sympath ${path}`, 'inspect')).toBe(false);
  expect(allows(`.sympath ${path}`, 'debug', { ...NO_LISTS, denied_patterns: ['sympath'] })).toBe(false);
  for (const line of [
    `.sympath ${path};\\\\evil\\x`,
    `.sympath+ ${path}x`,
    `.sympath ${path}; .shell x`,
    '.sympath srv*\\\\evil\\x',
  ]) {
    expect(allows(line, 'debug'), line).toBe(false);
  }
});

describe('a start by an agent', () => {
  const start = (connection: Connection, more: Partial<HostStart> = {}): string | undefined =>
    startRefusal({
      home: '/h',
      id: 'x',
      connection,
      kd: ['kd.exe'],
      startedBy: AGENT,
      breakOnConnect: false,
      startupTimeoutSec: 1,
      haltLeaseSec: 1,
      orphanGraceSec: 1,
      limits: at('debug'),
      ...more,
    });
  const elsewhere: readonly Connection[] = [
    { transport: 'dump', files: ['C:\\ok.dmp', '\\\\evil\\share\\x.dmp'] },
    { transport: 'dump', files: ['//evil/share/x.dmp'] },
    { transport: 'dump', files: ['\\\\?\\UNC\\evil\\share\\x.dmp'] },
    { transport: 'pipe', pipe: '\\\\evil\\pipe\\com_1' },
    { transport: 'raw', k: 'com:pipe,port=\\\\evil\\pipe\\com_1' },
    { transport: 'raw', k: 'exdi:CLSID={0}' },
    { transport: 'remote', remote: 'npipe:server=EVIL,pipe=x' },
    { transport: 'remote', remote: 'spipe:proto=tls1,server=EVIL,pipe=x' },
  ];

  test.each(elsewhere)('that signs in on another machine or loads code needs a person: %j', (connection) => {
    expect(start(connection)).toMatch(
      /^Not started: .* at level "unrestricted"; the level is "debug"\. Next: ask the person/,
    );
    expect(start(connection, { startedBy: PERSON })).toBeUndefined();
    expect(start(connection, { limits: at('unrestricted') })).toBeUndefined();
    expect(start(connection, { rescues: true })).toBeUndefined();
  });

  test.each<Connection>([
    { transport: 'net', port: 50_000, key: '1.2.3.4', target: '10.0.0.2' },
    { transport: 'com', port: '\\\\.\\com3' },
    { transport: 'pipe', pipe: '\\\\.\\pipe\\com_1' },
    { transport: 'tcp', host: '10.0.0.2', port: 4000 },
    { transport: 'dump', files: ['C:\\x.dmp', '\\\\?\\C:\\x.dmp', '/tmp/x.dmp'] },
    { transport: 'remote', remote: 'npipe:server=.,pipe=x' },
    { transport: 'remote', remote: 'tcp:server=10.0.0.2,port=5005' },
    { transport: 'raw', k: 'com:pipe,port=\\\\.\\pipe\\com_1,resets=0' },
    { transport: 'simulator', scenario: 'idle' },
  ])('that stays on this machine or reaches its guest is the agent’s to make: %j', (connection) => {
    expect(start(connection)).toBeUndefined();
  });
});
