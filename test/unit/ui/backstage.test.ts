/** Which change of the state file a person is asked about. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBackstage } from '../../../src/backstage.ts';
import type { Disposable } from '../../../src/client/sessions.ts';
import type { StateFileSeen } from '../../../src/ui/backstage.ts';

const good = {
  schema: 'winrm-kd-session-v1',
  guest_host: '10.0.0.5',
  host_ip: '10.0.0.1',
  port: 50000,
  key: 'secret1.2.3.4',
};

let folder: string;
let watch: Disposable | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kdb-'));
});
afterEach(() => {
  watch?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const path = (): string => join(folder, 'kd session.json');
function put(content: object | string): void {
  writeFileSync(join(folder, 'new'), typeof content === 'string' ? content : JSON.stringify(content));
  renameSync(join(folder, 'new'), path());
}

function follow() {
  const news: StateFileSeen[] = [];
  const ready: boolean[] = [];
  const problems: string[] = [];
  const identity = { kind: 'person', name: 'Minsu' } as const;
  const settings = { stateFile: path() };
  const program = async () => ({ command: process.execPath, script: 'cli.js' });
  watch = openBackstage({ home: folder, identity, program, settings }).watchStateFile({
    onNew: (seen) => news.push(seen),
    onReady: (is) => ready.push(is),
    onProblem: (problem) => problems.push(problem),
  });
  return { news, ready, problems };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

describe('the state file that the views follow', () => {
  test('is no news at the start, and none when only its time stamp changes; another guest is', async () => {
    put(good);
    const { news, ready } = follow();
    await until(() => expect(ready).toEqual([true]));
    put({ ...good, created_at_unix: 1_790_000_000 });
    await until(() => expect(ready).toEqual([true, true]));
    put({ ...good, port: 50001 });
    await until(() => expect(news).toEqual([{ guestHost: '10.0.0.5', port: 50001 }]));
  });

  test('is news when it appears, and again after it was gone', async () => {
    const { news, ready } = follow();
    await until(() => expect(ready).toEqual([false]));
    put(good);
    await until(() => expect(news).toHaveLength(1));
    rmSync(path());
    await until(() => expect(ready.at(-1)).toBe(false));
    put(good);
    await until(() => expect(news).toHaveLength(2));
    expect(ready.at(-1)).toBe(true);
  });

  test('that cannot be used is a problem without its key, and no news once it can be again', async () => {
    put(good);
    const { news, ready, problems } = follow();
    await until(() => expect(ready).toEqual([true]));
    put({ ...good, schema: 'winrm-kd-session-v9' });
    await until(() => expect(problems).toHaveLength(1));
    expect(problems.join()).toContain('winrm-kd-session-v9');
    expect(problems.join()).not.toContain('secret');
    expect(ready.at(-1)).toBe(false);
    put(good);
    await until(() => expect(ready.at(-1)).toBe(true));
    expect(news).toEqual([]);
  });
});
