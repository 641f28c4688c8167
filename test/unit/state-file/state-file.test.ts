import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ReadOptions, readStateFile, StateFileMissing } from '../../../src/state-file/read.ts';
import {
  ageOf,
  parseState,
  type StateFile,
  StateFileError,
  withoutKey,
} from '../../../src/state-file/schema.ts';
import { type StateFileWatch, type WatchOptions, watchStateFile } from '../../../src/state-file/watch.ts';

const KEY = 'abcsecret1.2def.3ghi.4jkl';
const good = {
  schema: 'winrm-kd-session-v1',
  guest_host: '192.168.122.50',
  host_ip: '192.168.122.1',
  port: 50000,
  key: KEY,
  created_by: 'winrm-mcp',
  created_at_unix: 1_790_000_000,
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kd-mcp-state-'));
  path = join(folder, 'kd-session.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fails = async (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.unreachable('was accepted'),
    (error: Error) => error,
  );

describe('a state file', () => {
  test('is read with the fields it has, known or not', async () => {
    writeFileSync(path, JSON.stringify({ ...good, vm: { name: 'lab' } }));
    expect(await readStateFile(path)).toEqual({ ...good, vm: { name: 'lab' } });
  });

  test('may lack who made it and when', () => {
    const { created_by: _by, created_at_unix: _at, ...bare } = good;
    expect(parseState({ ...bare, created_by: null })).toEqual(bare);
  });

  test.each([
    ['UTF-8', Buffer.from(JSON.stringify(good))],
    ['UTF-8 with mark', Buffer.from(`\ufeff${JSON.stringify(good)}`)],
    ['UTF-16LE with mark', Buffer.from(`\ufeff${JSON.stringify(good)}`, 'utf16le')],
    ['UTF-16LE', Buffer.from(JSON.stringify(good), 'utf16le')],
    ['UTF-16BE with mark', Buffer.from(`\ufeff${JSON.stringify(good)}`, 'utf16le').swap16()],
    ['UTF-16BE', Buffer.from(JSON.stringify(good), 'utf16le').swap16()],
  ])('may be %s', async (_name, bytes) => {
    writeFileSync(path, bytes);
    expect(await readStateFile(path)).toEqual(good);
  });

  test('of another schema is refused by that name', async () => {
    writeFileSync(path, JSON.stringify({ ...good, schema: 'winrm-kd-session-v2' }));
    const error = await fails(readStateFile(path));
    expect(error).toBeInstanceOf(StateFileError);
    expect(error.message).toContain('unknown schema "winrm-kd-session-v2"');
    expect(error.message).toContain(path);
  });

  test('with wrong fields is refused; each is named, the key is not shown', () => {
    const wrong = {
      ...good,
      guest_host: '',
      host_ip: undefined,
      port: '70000',
      key: 5,
      created_at_unix: 'today',
    };
    expect(() => parseState(wrong)).toThrow(
      /field guest_host: .*an empty text; field host_ip: .*found nothing; field port: .*found 70000; field key: .*found a number; field created_at_unix: /,
    );
    expect(() => parseState([])).toThrow(/found a list/);
  });

  test('that misses says where it was looked for, who writes it, and that both need one path', async () => {
    const error = await fails(readStateFile(path));
    expect(error).toBeInstanceOf(StateFileMissing);
    for (const part of [path, 'configure_kdnet()', 'Both servers need the same path', 'kd.state_file']) {
      expect(error.message).toContain(part);
    }
  });

  test('that is a folder says so', async () => {
    expect((await fails(readStateFile(folder))).message).toMatch(/is a folder|cannot be read/);
  });

  test('tells its age', () => {
    const state = parseState(good);
    expect(ageOf(state, 1_790_000_060_000)).toBe(60);
    expect(ageOf(state, 0)).toBeUndefined();
    expect(withoutKey(state)).not.toHaveProperty('key');
  });

  test('never has its key in an error, whatever is wrong with it', async () => {
    const broken = fc.oneof(
      fc.nat(JSON.stringify(good).length - 1).map((length) => JSON.stringify(good).slice(0, length)),
      fc
        .record({ port: fc.anything(), host_ip: fc.anything(), guest_host: fc.anything() })
        .map((part) => JSON.stringify({ ...good, ...part })),
    );
    await fc.assert(
      fc.asyncProperty(broken, async (text) => {
        writeFileSync(path, text);
        const outcome = await readStateFile(path, { retryMs: 0 }).catch((error: Error) => error);
        if (outcome instanceof Error) expect(outcome.message).not.toContain('secret');
      }),
      { numRuns: 100 },
    );
  });
});

describe('a state file that another program works on', () => {
  const scripted = (...steps: readonly (string | Buffer)[]): ReadOptions => {
    let step = 0;
    return {
      retryMs: 20_000,
      readBytes: async () => {
        const now = steps[Math.min(step++, steps.length - 1)];
        if (typeof now === 'string') throw Object.assign(new Error(now), { code: now });
        return now ?? Buffer.alloc(0);
      },
    };
  };
  const whole = Buffer.from(JSON.stringify(good));

  test.each(['EBUSY', 'EPERM', 'EACCES'])('is read once its lock is gone (%s)', async (code) => {
    expect(await readStateFile(path, scripted(code, code, whole))).toEqual(good);
  });

  test('is read once it is complete', async () => {
    expect(await readStateFile(path, scripted(Buffer.alloc(0), whole.subarray(0, 40), whole))).toEqual(good);
  });

  test('is given up when it stays so', async () => {
    const held = await fails(readStateFile(path, { ...scripted('EBUSY'), retryMs: 0 }));
    expect(held.message).toContain('another program holds it');
    const half = await fails(readStateFile(path, { ...scripted(whole.subarray(0, 40)), retryMs: 0 }));
    expect(half.message).toContain('is not complete JSON');
  });
});

describe('watching a state file', () => {
  let watching: StateFileWatch | undefined;
  afterEach(() => watching?.dispose());

  const start = (options: Partial<WatchOptions> = {}, where = path) => {
    const states: StateFile[] = [];
    const errors: string[] = [];
    const gone = vi.fn();
    watching = watchStateFile(where, {
      onState: (state) => states.push(state),
      onError: (error) => errors.push(error.message),
      onGone: gone,
      debounceMs: 10,
      pollMs: 50,
      retryMs: 100,
      ...options,
    });
    return { states, errors, gone, watch: watching };
  };
  const write = (state: object) => writeFileSync(path, JSON.stringify(state));
  const replace = (state: object) => {
    writeFileSync(`${path}.tmp`, JSON.stringify(state));
    renameSync(`${path}.tmp`, path);
  };
  const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 });

  test('tells what is there at once, and what replaces it', async () => {
    write(good);
    const { states, watch } = start();
    await watch.ready;
    expect(states).toEqual([good]);
    replace({ ...good, port: 50001 });
    await until(() => expect(states.at(-1)?.port).toBe(50001));
    expect(watch.state?.port).toBe(50001);
  });

  test('finds a file in a folder that is made later', async () => {
    path = join(folder, 'later', 'deep', 'kd-session.json');
    const { states, watch } = start({}, path);
    await watch.ready;
    expect(states).toEqual([]);
    mkdirSync(dirname(path), { recursive: true });
    write(good);
    await until(() => expect(states).toEqual([good]));
    rmSync(join(folder, 'later'), { recursive: true });
    await until(() => expect(watch.state).toEqual(good));
    mkdirSync(dirname(path), { recursive: true });
    write({ ...good, port: 50002 });
    await until(() => expect(states.at(-1)?.port).toBe(50002));
  });

  test('keeps the last good state while the file is broken or gone', async () => {
    write(good);
    const { states, errors, gone, watch } = start();
    await watch.ready;
    writeFileSync(path, '{"schema": "winrm-kd');
    await until(() => expect(errors).toHaveLength(1));
    rmSync(path);
    await until(() => expect(gone).toHaveBeenCalledTimes(1));
    expect(watch.state).toEqual(good);
    // What can be used again is told, though it is the same.
    replace(good);
    await until(() => expect(states).toEqual([good, good]));
  });

  test('is silent about the same content written again', async () => {
    write(good);
    const { states, watch } = start();
    await watch.ready;
    replace(good);
    replace({ ...good, port: 50003 });
    await until(() => expect(states.at(-1)?.port).toBe(50003));
    expect(states).toHaveLength(2);
  });

  test('tells nothing after it was disposed', async () => {
    const { states, watch } = start();
    await watch.ready;
    write(good);
    watch.dispose();
    const second = start();
    await until(() => expect(second.states).toEqual([good]));
    expect(states).toEqual([]);
  });
});
