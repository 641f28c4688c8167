import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSessions } from '../../../src/client/registry.ts';
import { findRescuable } from '../../../src/client/rescue.ts';
import type { Sessions } from '../../../src/client/sessions.ts';
import { sessionFiles } from '../../../src/host/home.ts';
import { processStart } from '../../../src/host/process-identity.ts';
import type { SessionRecord } from '../../../src/host/protocol.ts';
import { claimRecord, endRecord, KEPT_SESSIONS, reapRecord } from '../../../src/host/records.ts';
import type { HaltCause, LastEvent } from '../../../src/kd/model.ts';
import { liveLine } from '../../../src/tools/list-sessions.ts';

let home: string;
let sessions: Sessions;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kdr-'));
  sessions = createSessions({
    home,
    identity: { kind: 'agent', name: 'a' },
    program: { command: process.execPath, script: '/no/such/cli.js' },
  });
});
afterEach(() => {
  sessions.dispose();
  rmSync(home, { recursive: true, force: true });
});

/** No process has this pid. */
const DEAD = 2 ** 22 + 1;

function record(id: string, change: Partial<SessionRecord> = {}): SessionRecord {
  const startedAt = change.startedAt ?? 1_000;
  return {
    protocol: 1,
    id,
    title: id,
    transport: 'net',
    hostPid: DEAD,
    socket: join(home, 'run', 'none.sock'),
    token: `token of ${id} ${startedAt}`,
    startedAt,
    startedBy: { kind: 'agent', name: 'a' },
    transcript: sessionFiles(home, id, startedAt).transcript,
    connection: { transport: 'net', port: 50_000 },
    kd: ['kd.exe'],
    state: 'running',
    pinned: false,
    ...change,
  };
}

function withTranscript(one: SessionRecord, text = 'text\n'): SessionRecord {
  mkdirSync(dirname(one.transcript), { recursive: true });
  writeFileSync(one.transcript, text);
  return one;
}

const halted = (cause: HaltCause, kind: 'break-in' | 'bugcheck' = 'break-in'): Partial<SessionRecord> => {
  const event: LastEvent =
    kind === 'bugcheck' ? { kind, code: 'D1', args: [], at: 1, text: '' } : { kind, at: 1, text: '' };
  return { state: 'broken', halt: { since: 1, cause, event } };
};

describe('records', () => {
  test('an id is taken by one only', () => {
    expect(claimRecord(home, record('net-50000'))).toBe(true);
    expect(claimRecord(home, record('net-50000', { startedAt: 2 }))).toBe(false);
  });

  test.each([
    ['running', 'running'],
    ['broken', 'frozen'],
    ['busy', 'frozen'],
    ['asking', 'frozen'],
    ['waiting', 'none'],
    ['starting', 'none'],
    ['breaking', 'unknown'],
  ] as const)(
    'of a host that died while its session was %s says what became of the guest: %s',
    async (state, guest) => {
      claimRecord(home, record('net-50000', { state }));
      expect(await sessions.list()).toEqual([]);
      const [over] = await sessions.ended();
      expect(over).toMatchObject({ token: '', ended: { guest, how: 'host-gone' } });
      expect(readdirSync(join(home, 'sessions'))).toEqual([]);
    },
  );

  test('of a host that died with a break unanswered say that the guest may be frozen', async () => {
    claimRecord(home, record('net-50000', { state: 'running', unanswered: 1 }));
    await sessions.list();
    expect((await sessions.ended())[0]?.ended).toMatchObject({ guest: 'unknown' });
    expect((await findRescuable(sessions, '1.2.3.4')).map(({ ask }) => ask)).toEqual([undefined]);
  });

  test('of a host that died take along what kd logged elsewhere, and nothing else', async () => {
    const work = join(home, 'elsewhere', 'kd-Ab12_z');
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, 'kd-1.log'), 'key');
    claimRecord(home, record('net-50000', { work }));
    claimRecord(home, record('net-50001', { work: join(home, 'elsewhere') }));
    writeFileSync(join(home, 'elsewhere', 'kd-2.log'), 'not ours');
    await sessions.list();
    expect(readdirSync(join(home, 'elsewhere'))).toEqual(['kd-2.log']);
  });

  test('of a process that is alive stay, those of another process with its pid do not', async () => {
    const hostStarted = processStart(process.pid);
    claimRecord(
      home,
      record('a', { hostPid: process.pid, ...(hostStarted === undefined ? {} : { hostStarted }) }),
    );
    claimRecord(home, record('b', { hostPid: process.pid, hostStarted: 'long ago' }));
    expect((await sessions.list()).map((one) => one.id)).toEqual(['a']);
  });

  test('that somebody else replaced in the meantime are not moved', () => {
    const dead = record('net-50000');
    claimRecord(home, record('net-50000', { startedAt: 2_000, hostPid: process.pid }));
    expect(reapRecord(home, dead, 1)).toBeUndefined();
    expect(readdirSync(join(home, 'sessions'))).toEqual(['net-50000.json']);
  });

  test('that are half written, or of no known shape, are skipped and left alone', async () => {
    mkdirSync(join(home, 'sessions'), { recursive: true });
    for (const [name, text] of [
      ['half', '{"id": "half", "proto'],
      ['other', '[1, 2]'],
      ['pid', JSON.stringify({ ...record('pid'), hostPid: -1 })],
      ['path', JSON.stringify({ ...record('path'), id: '../path' })],
    ]) {
      writeFileSync(join(home, 'sessions', `${name}.json`), text ?? '');
    }
    expect(await sessions.list()).toEqual([]);
    expect(readdirSync(join(home, 'sessions'))).toHaveLength(4);
  });

  test('of another version are told by what they have in common, whatever shape the rest has', async () => {
    const { protocol: _, id, hostPid: __, socket, token, startedAt } = record('net-50000');
    const common = { protocol: 0, hostPid: process.pid, socket, token, startedAt };
    const odd = { halt: 7, startedBy: 'x', connection: [], kd: 'kd.exe', title: 1, state: {}, ended: true };
    mkdirSync(join(home, 'sessions'), { recursive: true });
    for (const [name, rest] of [
      [id, {}],
      ['odd', odd],
      ['odd-halt', { state: 'broken', halt: { since: 1, cause: { kind: 'agent' } } }],
      [
        'odd-crash',
        { state: 'broken', halt: { since: 1, cause: { kind: 'target' }, event: { kind: 'bugcheck' } } },
      ],
    ] as const) {
      writeFileSync(join(home, 'sessions', `${name}.json`), JSON.stringify({ ...common, id: name, ...rest }));
    }
    const live = await sessions.list();
    expect(live.map((one) => one.id).sort()).toEqual(['net-50000', 'odd', 'odd-crash', 'odd-halt']);
    for (const one of live) {
      expect(one.halt).toBeUndefined();
      expect(liveLine(one, 2_000)).toMatch(/^\S+ · \w+ .*another version of KD-MCP/);
    }
    expect(await findRescuable(sessions)).toEqual([]);
  });

  test(`of the newest ${KEPT_SESSIONS} ended sessions are kept, with their transcripts`, async () => {
    for (let count = 0; count < KEPT_SESSIONS + 5; count++) {
      const one = withTranscript(record('net-50000', { startedAt: count }));
      endRecord(home, one, { at: count, reason: 'over', guest: 'running' });
    }
    expect(await sessions.ended(100)).toHaveLength(KEPT_SESSIONS);
    expect(readdirSync(join(home, 'transcripts'))).toHaveLength(KEPT_SESSIONS);
    expect(existsSync(sessionFiles(home, 'net-50000', 4).transcript)).toBe(false);
    expect(existsSync(sessionFiles(home, 'net-50000', 5).transcript)).toBe(true);
  });

  test('never make anything outside of the home be deleted', () => {
    const precious = join(home, 'precious', 'file.log');
    mkdirSync(dirname(precious), { recursive: true });
    writeFileSync(precious, '');
    for (let count = 0; count < KEPT_SESSIONS + 5; count++) {
      endRecord(home, record('a', { startedAt: count, transcript: precious }), {
        at: count,
        reason: '',
        guest: 'none',
      });
    }
    expect(existsSync(precious)).toBe(true);
  });
});

describe('opening', () => {
  test('without any session says how to start one', async () => {
    await expect(sessions.open()).rejects.toThrow(/No session is running\. Start one: start_from_state/);
    await expect(sessions.open('x')).rejects.toThrow('There is no session "x"');
    await expect(sessions.open('../../etc')).rejects.toThrow('There is no session "../../etc"');
  });

  test('after one has just ended says how it ended', async () => {
    const dead = record('net-50000', halted({ kind: 'agent', name: 'a' }));
    claimRecord(home, dead);
    reapRecord(home, dead, Date.now());
    await expect(sessions.open()).rejects.toThrow(
      /^No session is running\. The last, net-50000, has ended: .*frozen.*kd-mcp rescue\. Start one: start_from_state/,
    );
  });

  test('a person is told what a person can do', async () => {
    const person = createSessions({ home, identity: { kind: 'person', name: 'p' } });
    await expect(person.open()).rejects.toThrow(/^No session is running\. Start one in VS Code/);
    await expect(person.open('x')).rejects.toThrow(/kd-mcp sessions shows all\.$/);
    endRecord(home, record('net-50000'), { at: 5, reason: 'It was stopped.', guest: 'running' });
    await expect(person.open('net-50000')).rejects.toThrow(
      /Its output is still there: kd-mcp log net-50000 --transcript\./,
    );
    person.dispose();
  });

  test('one that has ended says how, and that its output can still be read', async () => {
    const one = withTranscript(record('net-50000'), 'line one\nline two\n');
    endRecord(home, one, { at: 5, reason: 'It was stopped.', guest: 'running' });
    await expect(sessions.open('NET-50000')).rejects.toThrow(
      'Session "net-50000" has ended: It was stopped. Its output is still there: read_output(session_id="net-50000").',
    );
    expect(await sessions.readEnded('net-50000', { maxBytes: 100, grep: 'TWO' })).toMatchObject({
      text: 'line two\n',
    });
    expect((await sessions.readEnded('net-50000', { from: -4, maxBytes: 100 })).text).toBe('two\n');
    await expect(sessions.readEnded('net-1', { maxBytes: 100 })).rejects.toThrow('There is no session');
  });
});

describe('starting', () => {
  test('from a program that is gone says so', async () => {
    const start = {
      connection: { transport: 'net', port: 50_000, key: '1.2.3.4' } as const,
      kd: ['kd.exe'] as const,
    };
    await expect(sessions.start(start)).rejects.toThrow(/program is gone \(\/no\/such\/cli\.js\)/);
  });

  test('without a debugger says which setting names one', async () => {
    await expect(
      sessions.start({ connection: { transport: 'net', port: 50_000, key: '1.2.3.4' } }),
    ).rejects.toThrow('kd.kd_exe');
  });
});

describe('watching', () => {
  test('tells when a session appears and goes, also if the folder was not there', async () => {
    let told: () => void = () => {};
    const next = () =>
      new Promise<void>((resolve) => {
        told = resolve;
      });
    const watch = sessions.watch(() => told());
    const appeared = next();
    claimRecord(home, record('net-50000'));
    await appeared;
    const went = next();
    await sessions.list();
    await went;
    watch.dispose();
  });
});

describe('a guest to rescue', () => {
  const rescuable = async () =>
    (await findRescuable(sessions, '1.2.3.4')).map(({ record: { id }, ask }) => [id, ask === undefined]);
  const gone = (change: Partial<SessionRecord>) => {
    claimRecord(home, record('net-50000', change));
    return sessions.list();
  };

  test('is one that an agent or the target halted when the host died', async () => {
    await gone(halted({ kind: 'agent', name: 'a' }));
    expect(await rescuable()).toEqual([['net-50000', true]]);
  });

  test.each<[string, Partial<SessionRecord>]>([
    ['it crashed', halted({ kind: 'target' }, 'bugcheck')],
    ['a person halted it', halted({ kind: 'person', name: 'p' })],
    ['its halt was pinned', { ...halted({ kind: 'agent', name: 'a' }), pinned: true }],
  ])('needs a person’s word when %s', async (_why, change) => {
    await gone(change);
    expect(await rescuable()).toEqual([['net-50000', false]]);
  });

  test('needs a person when the key is not known', async () => {
    await gone(halted({ kind: 'agent', name: 'a' }));
    const [one] = await findRescuable(sessions);
    expect(one?.ask).toContain('key');
  });

  test('is none that ran, that was left frozen on purpose, or whose target was debugged again', async () => {
    await gone({ state: 'running' });
    endRecord(home, record('left', halted({ kind: 'agent', name: 'a' })), {
      at: 1,
      reason: '',
      guest: 'frozen',
      how: 'stopped',
    });
    expect(await rescuable()).toEqual([]);
    rmSync(join(home, 'ended'), { recursive: true });
    await gone(halted({ kind: 'agent', name: 'a' }));
    endRecord(home, record('later', { startedAt: 2_000 }), {
      at: Date.now() + 1,
      reason: '',
      guest: 'running',
      how: 'stopped',
    });
    expect(await rescuable()).toEqual([]);
  });

  test('is still one after a session that never met it', async () => {
    await gone(halted({ kind: 'agent', name: 'a' }));
    endRecord(home, record('later', { startedAt: 2_000 }), {
      at: Date.now() + 1,
      reason: '',
      guest: 'none',
      how: 'stopped',
    });
    expect(await rescuable()).toEqual([['net-50000', true]]);
  });
});
