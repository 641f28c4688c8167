/**
 * Records Microsoft's own engine: `node test/engine/record.ts` runs sessions over KDNET and writes what went over kd's
 * pipes into test/fixtures/engine/.
 */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Actor } from '../../src/kd/model.ts';
import { createRedactor } from '../../src/kd/redact.ts';
import { KdSession } from '../../src/kd/session.ts';
import { kdProgram } from './engine.ts';
import { spawnGuest } from './wire-guest.ts';

const me: Actor = { kind: 'person', name: 'recorder' };
const here = import.meta.dirname;
const key = '1.2.3.4';

async function record(
  name: string,
  drive: (session: KdSession, tell: (line: string) => Promise<string>) => Promise<void>,
) {
  const guest = await spawnGuest({ key });
  const changes = new EventTarget();
  const session = KdSession.start({
    program: [
      process.execPath,
      path.join(here, 'tee.mjs'),
      path.join(here, `../fixtures/engine/${name}.json`),
      kdProgram(),
    ],
    args: ['-k', `net:port=${guest.port},key=${key}`],
    redactor: createRedactor(),
    transport: 'net',
    workdir: mkdtempSync(path.join(tmpdir(), 'record-')),
    breakOnConnect: false,
    startedBy: me,
    events: {
      onTranscript: () => {},
      onStatus: () => changes.dispatchEvent(new Event('change')),
      onCommandStart: () => {},
      onCommandEnd: () => {},
    },
  });
  while (!session.status.linked && session.status.state !== 'ended') await once(changes, 'change');
  await drive(session, guest.tell);
  await session.quit('resume', me);
  await guest.end();
  process.stdout.write(`${name}: ${session.status.exit?.reason}\n`);
}

const run = async (session: KdSession, ...commands: string[]) => {
  for (const command of commands) await session.run(command, me).settled;
};

await record('commands', async (session) => {
  await session.breakIn(me, 20_000);
  await run(
    session,
    '.echo hello',
    'r',
    'k',
    'lm',
    'bl',
    '.printf "no newline"',
    '~1s',
    '~0s',
    'foo',
    '.foo',
    '!foo',
    'db 0',
  );
  await run(
    session,
    'version',
    'vertarget',
    '.lastevent',
    'u nt!NtClose L3',
    'db nt!NtBuildLab L20',
    '? nt',
    'eb 0 1',
  );
});
await record('events', async (session, tell) => {
  await session.breakIn(me, 20_000);
  await run(session, '.reload', 'bp mydriver!MyDispatch', 'bl');
  let { generation } = session.status;
  await session.go(me);
  await tell('print hello from the driver\\n');
  await tell('print 0: kd> ');
  // Time for the session to ask whether that is a prompt: its marker belongs into the recording.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await tell('print forged\\n');
  await tell('hit mydriver!MyDispatch');
  await session.waitForStop(generation, 20_000);
  await run(session, 'k', 'p', 'r rip');
  generation = session.status.generation;
  await session.go(me);
  await tell('bugcheck d1 1 2 3 4');
  await session.waitForStop(generation, 20_000);
  await run(session, '.bugcheck', '.reboot');
  await session.breakIn(me, 20_000);
  await run(session, 'bl');
});
