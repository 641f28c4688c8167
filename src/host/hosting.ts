/** Putting a session together, and taking it apart when kd has ended. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Transport } from '../kd/connection.ts';
import { truncatesLines } from '../kd/decode.ts';
import type { EngineEvents, KdEngine } from '../kd/engine.ts';
import type { Redactor } from '../kd/redact.ts';
import { KdSession } from '../kd/session.ts';
import { kdArguments, redactedConnection, sessionTitle } from '../kd/transport.ts';
import { ansiCodePage } from '../kd/win32-code-page.ts';
import { systemClock } from './clock.ts';
import { SessionCore } from './core.ts';
import { finish, startFailure } from './ending.ts';
import { ensurePrivateFolder } from './files.ts';
import { isWanted } from './forsaken.ts';
import type { GuestRules } from './guest.ts';
import { newSocketPath, sessionFiles } from './home.ts';
import { endingOf } from './leave.ts';
import type { HostLog } from './log.ts';
import { processStart } from './process-identity.ts';
import { type HostStart, type HostStarted, PROTOCOL, type SessionRecord } from './protocol.ts';
import { RecordWriter } from './record-writer.ts';
import { forgetRecord, prune } from './records.ts';
import { performDuty } from './release.ts';
import { SessionServer } from './server.ts';
import { HOST_ACTOR, type SessionFacts } from './session-parts.ts';
import { takeId } from './take-id.ts';
import { Transcript } from './transcript.ts';
import { startWatchdog } from './watchdog.ts';

export interface LiveHost {
  readonly core: SessionCore;
  /** Resolves when kd is gone, everybody knows, and the record is in `ended/`. `forsaken`: this host has to start over. */
  readonly ended: Promise<{ readonly forsaken: boolean }>;
}

export type Started =
  | { readonly kind: 'live'; readonly host: LiveHost; readonly answer: HostStarted }
  | { readonly kind: 'not-needed'; readonly answer: HostStarted };

/**
 * Takes an id, starts kd and serves clients. A session that runs already for the same target is named instead.
 * @throws when nothing could be started; nothing is left behind then.
 */
export async function startSession(start: HostStart, log: HostLog, redactor: Redactor): Promise<Started> {
  const socket = newSocketPath(start.home);
  const server = await SessionServer.listen(socket);
  try {
    const taken = takeId(start, draftRecord(start, socket));
    if (taken.existing) {
      server.dispose();
      return { kind: 'not-needed', answer: { ok: true, id: taken.id, existing: true } };
    }
    try {
      return await serve(start, taken.record, server, log, redactor);
    } catch (error) {
      forgetRecord(start.home, taken.id);
      throw error;
    }
  } catch (error) {
    server.dispose();
    throw error;
  }
}

function draftRecord(start: HostStart, socket: string): SessionRecord {
  const hostStarted = processStart(process.pid);
  return {
    protocol: PROTOCOL,
    id: start.id,
    title: sessionTitle(start.connection),
    transport: start.connection.transport,
    hostPid: process.pid,
    ...(hostStarted === undefined ? {} : { hostStarted }),
    socket,
    token: randomBytes(32).toString('hex'),
    startedAt: Date.now(),
    startedBy: start.startedBy,
    transcript: '',
    ...(start.guestHost === undefined ? {} : { guestHost: start.guestHost }),
    ...(start.stateFile === undefined ? {} : { stateFile: start.stateFile }),
    connection: redactedConnection(start.connection),
    kd: start.kd,
    state: 'starting',
    pinned: false,
    level: start.limits.level,
  };
}

async function serve(
  start: HostStart,
  record: SessionRecord,
  server: SessionServer,
  log: HostLog,
  redactor: Redactor,
): Promise<Started> {
  const { home } = start;
  const files = sessionFiles(home, record.id, record.startedAt);
  const transcript = new Transcript(files.folder, files.transcript);
  const work = workFolder(start, files.work);
  const told = work === files.work ? record : { ...record, work };
  const writer = new RecordWriter(home, told, (error) => log.write('the record could not be written', error));
  const rules: GuestRules = { leaseMs: start.haltLeaseSec * 1000, graceMs: start.orphanGraceSec * 1000 };
  const core = new SessionCore({
    facts: {
      id: record.id,
      title: record.title,
      transport: record.transport,
      startedAt: record.startedAt,
      startedBy: record.startedBy,
      ...(start.guestHost === undefined ? {} : { guestHost: start.guestHost }),
      kdProgram: start.kd[0],
      commandIndex: files.commands,
      ...(start.symbolPath === undefined ? {} : { symbolPath: start.symbolPath }),
      ...(start.rescues === true ? { rescues: true } : {}),
      ...keyCheck(start),
    },
    transcript,
    rules,
    limits: start.limits,
    clock: systemClock,
    onDuty: (duty) => {
      performDuty(core, duty, rules).catch((error: unknown) => log.write(`${duty} failed`, error));
    },
    onRecord: () => writer.update(core),
    onError: (error) => log.write('something could not be written', error),
  });
  const { promise: hasStarted, resolve: onStarted } = Promise.withResolvers<void>();
  const engine = startEngine(start, work, redactor, watchStart(core.events, onStarted));
  core.attachEngine(engine);
  const watchdog = startWatchdog(engine.pid);
  server.serve(core, { token: record.token, protocol: PROTOCOL });
  const ended = engine.exited.then((exit) =>
    finish(core, exit, { home, writer, server, watchdog, work, log }),
  );
  await Promise.race([
    hasStarted,
    engine.exited,
    new Promise((done) => setTimeout(done, start.startupTimeoutSec * 1000)),
  ]);
  prune(home);
  const host = { core, ended };
  endWhenLost(host, writer, log);
  const { exit } = core.status;
  if (exit !== undefined) {
    const error = startFailure(core, exit);
    await ended;
    return { kind: 'live', host, answer: { ok: false, error } };
  }
  return { kind: 'live', host, answer: { ok: true, id: record.id, existing: false } };
}

/** kd does not care for the case of a key. */
function keyCheck({ connection }: HostStart): Pick<SessionFacts, 'hasKey'> {
  if (connection.transport !== 'net') return {};
  const own = connection.key.trim().toLowerCase();
  return { hasKey: (key) => key.trim().toLowerCase() === own };
}

function startEngine(start: HostStart, workdir: string, redactor: Redactor, events: EngineEvents): KdEngine {
  const { args } = kdArguments(
    start.connection,
    start.symbolPath === undefined ? {} : { symbolPath: start.symbolPath },
  );
  return KdSession.start({
    program: start.kd,
    args,
    redactor,
    transport: start.connection.transport,
    ...(start.connection.transport === 'remote' ? { remote: start.connection.remote } : {}),
    workdir,
    ...consoleText(start.connection.transport),
    breakOnConnect: start.breakOnConnect,
    startedBy: start.startedBy,
    events,
  });
}

/**
 * What kd's console output is encoded in, and whether its Unicode log must be read instead because lines are cut there
 * (kd-behaviour.md §4.5). The simulator speaks UTF-8; another debugger's log is not on this machine.
 */
function consoleText(transport: Transport): { readonly codePage?: number; readonly unicodeLog?: boolean } {
  if (process.platform !== 'win32' || transport === 'simulator') return {};
  const page = ansiCodePage();
  if (!page.ok) return {};
  return { codePage: page.value, unicodeLog: truncatesLines(page.value) && transport !== 'remote' };
}

function watchStart(events: EngineEvents, onStarted: () => void): EngineEvents {
  return {
    ...events,
    onStatus: (status) => {
      events.onStatus(status);
      if (status.state !== 'starting') onStarted();
    },
  };
}

/** kd runs `ntsd.ini` of its working folder, so that folder is empty and nobody else's (kd-behaviour.md §1.1). */
function workFolder(start: HostStart, own: string): string {
  if (start.workdir === undefined) {
    ensurePrivateFolder(own);
    return own;
  }
  ensurePrivateFolder(start.workdir);
  return mkdtempSync(join(start.workdir, 'kd-'));
}

const LOOK_FOR_RECORD_MS = 30_000;

/** Without its home folder a session cannot be found: with nobody connected it would keep its port and guest for ever. */
function endWhenLost(host: LiveHost, writer: RecordWriter, log: HostLog): void {
  let missed = 0;
  const timer = setInterval(() => {
    missed = writer.restore() || host.core.clients.size > 0 ? 0 : missed + 1;
    if (missed < 2 || host.core.stopping !== undefined) return;
    log.write('the home folder is gone and nobody is connected: the session ends');
    void endSession(host);
  }, LOOK_FOR_RECORD_MS);
  void host.ended.then(() => clearInterval(timer));
}

/** Ends a session as a stop does: the guest is resumed, unless somebody would miss its halt. Then kd ends. */
export async function endSession({ core }: LiveHost): Promise<void> {
  const keep = core.halted && isWanted(core.keeper.state);
  core.stopping = keep ? 'keep' : 'resume';
  core.turns.dropAll('Not sent: the session was stopped.');
  await core.engine.quit(...endingOf(core, keep ? 'leave_frozen' : 'resume', HOST_ACTOR));
}
