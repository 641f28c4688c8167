/** Another user of the machine: what they can reach of a session, and what they can put in its way. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSessions } from '../../src/client/registry.ts';
import type { Session, Sessions } from '../../src/client/sessions.ts';
import { AGENT, CLI, gone, KEY, SIMULATOR } from './rig.ts';

/** `nobody` everywhere; the account needs no name. */
const UID = 65_534;
const isRoot = process.getuid?.() === 0;
if (!isRoot)
  console.warn(
    'SKIPPED: a second local user needs root (setuid). CI runs these tests as root; this run does not.',
  );

/** What a program of the other user says, and its exit code. */
function asOther(
  script: string,
  ...args: readonly string[]
): { readonly said: string; readonly code: number | null } {
  const ran = spawnSync(process.execPath, ['-e', script, ...args], {
    uid: UID,
    gid: UID,
    cwd: '/',
    env: {},
    timeout: 20_000,
  });
  return { said: `${ran.stdout}${ran.stderr}`, code: ran.status };
}

const READ = "process.stdout.write(require('fs').readFileSync(process.argv[1], 'utf8'))";
const LIST = "process.stdout.write(require('fs').readdirSync(process.argv[1]).join())";
const WRITE = "require('fs').writeFileSync(process.argv[1], '{}')";
const CONNECT =
  "require('net').connect(process.argv[1]).on('connect', () => { console.log('CONNECTED'); process.exit(0) }).on('error', (e) => { console.log(e.code); process.exit(1) })";

describe.skipIf(!isRoot)(
  'a second user, with an umask of 0 and the home in a folder that all can read',
  () => {
    let open: string;
    let home: string;
    let sessions: Sessions;
    let session: Session;
    let socket = '';
    const umask = process.umask();

    beforeAll(async () => {
      process.umask(0);
      open = mkdtempSync(join(tmpdir(), 'kdu-'));
      chmodSync(open, 0o777);
      home = join(open, 'home');
      sessions = createSessions({
        home,
        identity: AGENT,
        program: { command: process.execPath, script: CLI },
      });
      const connection = { transport: 'net', port: 50_123, key: KEY } as const;
      ({ session } = await sessions.start({
        connection,
        kd: [process.execPath, SIMULATOR, '--scenario', 'idle'],
      }));
      await session.breakIn(20_000);
      await session.command(['.echo private'], { timeoutMs: 20_000 });
      socket = (await sessions.list())[0]?.socket ?? '';
    });
    afterAll(async () => {
      process.umask(umask);
      const { hostPid } = session.info;
      await session.stop('resume');
      sessions.dispose();
      await gone(hostPid);
      rmSync(open, { recursive: true, force: true });
    });

    test('is one: the script of this test works where it may', () => {
      const file = join(open, 'for-all');
      writeFileSync(file, 'hello');
      expect(asOther(READ, file).said).toBe('hello');
    });

    test('cannot list the home or any of its folders', () => {
      for (const folder of ['.', ...readdirSync(home)]) {
        const { said, code } = asOther(LIST, join(home, folder));
        expect(code).not.toBe(0);
        expect(said).toContain('EACCES');
      }
    });

    test('can read neither record, transcript nor command index', () => {
      const { transcriptPath } = session.info;
      const record = join(home, 'sessions', `${session.id}.json`);
      for (const file of [record, transcriptPath, join(dirname(transcriptPath), 'commands.jsonl')]) {
        expect(statSync(file).mode & 0o077).toBe(0);
        const { said, code } = asOther(READ, file);
        expect(code).not.toBe(0);
        expect(said).toContain('EACCES');
        expect(said).not.toContain('private');
      }
    });

    test('cannot connect to the socket', () => {
      expect(asOther(CONNECT, socket).said.trim()).toBe('EACCES');
      expect(session.info.clients).toHaveLength(1);
    });

    test('cannot reach it in the temporary folder either, where a long home puts it', async () => {
      const long = join(open, 'x'.repeat(100));
      const other = createSessions({
        home: long,
        identity: AGENT,
        program: { command: process.execPath, script: CLI },
      });
      onTestFinished(() => other.dispose());
      const started = await other.start({ connection: { transport: 'simulator', scenario: 'idle' } });
      const [record] = await other.list();
      expect(record?.socket.startsWith(tmpdir())).toBe(true);
      expect(asOther(CONNECT, record?.socket ?? '').said.trim()).toBe('EACCES');
      await started.session.stop('resume');
      await gone(started.session.info.hostPid);
    });

    test('cannot plant a record', () => {
      expect(asOther(WRITE, join(home, 'sessions', 'planted.json')).said).toContain('EACCES');
    });
  },
);

describe.skipIf(!isRoot)('a home', () => {
  const client = (home: string): Sessions =>
    createSessions({ home, identity: AGENT, program: { command: process.execPath, script: CLI } });
  const start = { connection: { transport: 'simulator', scenario: 'idle' } } as const;
  let open: string;
  beforeAll(() => {
    open = mkdtempSync(join(tmpdir(), 'kdu-'));
    chmodSync(open, 0o755);
  });
  afterAll(() => rmSync(open, { recursive: true, force: true }));

  test('of another user is refused, and nothing in it is believed', async () => {
    const home = join(open, 'theirs');
    mkdirSync(join(home, 'sessions'), { recursive: true });
    chownSync(home, UID, UID);
    const sessions = client(home);
    const refusal = /theirs belongs to another user \(uid 65534\)\. Name a folder of your own \(--home DIR/;
    await expect(sessions.list()).rejects.toThrow(refusal);
    await expect(sessions.ended()).rejects.toThrow(refusal);
    await expect(sessions.open()).rejects.toThrow(refusal);
    await expect(sessions.start(start)).rejects.toThrow(refusal);
  });

  test('that all users share is refused', async () => {
    const home = join(open, 'shared');
    mkdirSync(home);
    chmodSync(home, 0o1777);
    await expect(client(home).start(start)).rejects.toThrow(/shared is shared by all users/);
  });

  test('that others may write is closed to them before anything is in it', async () => {
    const home = join(open, 'lax');
    mkdirSync(join(home, 'sessions'), { recursive: true });
    for (const folder of [home, join(home, 'sessions')]) chmodSync(folder, 0o777);
    const sessions = client(home);
    onTestFinished(() => sessions.dispose());
    const { session } = await sessions.start(start);
    expect(statSync(home).mode & 0o022).toBe(0);
    for (const folder of readdirSync(home)) expect(statSync(join(home, folder)).mode & 0o077).toBe(0);
    const { hostPid } = session.info;
    await session.stop('resume');
    await gone(hostPid);
  });
});
