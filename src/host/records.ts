/**
 * The records by which clients find sessions: one JSON file for each live session, one for each that is over.
 *
 * A record is created exclusively (that takes the id), replaced atomically, and moved to `ended/` by its host or by
 * whoever finds that the host's process is gone. Never because a connection failed.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HALTED_STATES } from '../kd/model.ts';
import { createExclusive, ensurePrivateFolder, errorCode, removeFile, writeAtomic } from './files.ts';
import { breakpointWords, withBreakpoints } from './forsaken.ts';
import { endedFolder, isSessionId, ownTranscriptFolder, sessionsFolder, transcriptsFolder } from './home.ts';
import { isRunning } from './process-identity.ts';
import type { GuestLeft, SessionRecord } from './protocol.ts';
import { readRecord, serialize } from './record-file.ts';

/** Transcripts of sessions that are over: more are deleted, oldest first. */
export const KEPT_SESSIONS = 50;

type Ended = NonNullable<SessionRecord['ended']>;

export const recordPath = (home: string, id: string): string => join(sessionsFolder(home), `${id}.json`);

/** Takes an id by creating its record. False when somebody has it. */
export function claimRecord(home: string, record: SessionRecord): boolean {
  ensurePrivateFolder(sessionsFolder(home));
  return createExclusive(recordPath(home, record.id), serialize(record));
}

/** Brings the record of a live session up to date. */
export function replaceRecord(home: string, record: SessionRecord): void {
  writeAtomic(recordPath(home, record.id), serialize(record));
}

/** Gives an id back that was taken and never used. */
export function forgetRecord(home: string, id: string): void {
  removeFile(recordPath(home, id));
}

/** Records of sessions that were alive when they were last written. What is not a record is skipped. */
export function liveRecords(home: string): readonly SessionRecord[] {
  return readFolder(sessionsFolder(home));
}

export function liveRecord(home: string, id: string): SessionRecord | undefined {
  return isSessionId(id) ? readRecord(recordPath(home, id)) : undefined;
}

/** Sessions that are over, the one that ended last first. */
export function endedRecords(home: string): readonly SessionRecord[] {
  return [...readFolder(endedFolder(home))].sort((a, b) => (b.ended?.at ?? 0) - (a.ended?.at ?? 0));
}

/** Is the host of this record still there? */
export function isHostAlive(record: SessionRecord): boolean {
  return isRunning(record.hostPid, record.hostStarted);
}

/** Moves a record to `ended/`: the id is free from here on. The host's own way, when kd is gone. */
export function endRecord(home: string, record: SessionRecord, ended: Ended): SessionRecord {
  const over: SessionRecord = { ...record, token: '', state: 'ended', ended };
  writeEnded(home, over);
  removeFile(recordPath(home, record.id));
  prune(home);
  return over;
}

/**
 * Moves the record of a host that is gone. Two clients may find it at the same time, and a new host may have taken the
 * id meanwhile: the file is moved first and looked at then.
 */
export function reapRecord(home: string, dead: SessionRecord, now: number): SessionRecord | undefined {
  const path = recordPath(home, dead.id);
  const aside = join(sessionsFolder(home), `.${dead.id}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const moved = readRecord(aside);
  if (moved !== undefined && moved.token !== dead.token) {
    createExclusive(path, readFileSync(aside, 'utf8'));
    removeFile(aside);
    return undefined;
  }
  const over: SessionRecord = { ...(moved ?? dead), token: '', ended: deathOf(moved ?? dead, now) };
  writeEnded(home, over);
  removeFile(aside);
  cleanUp(home, over);
  prune(home);
  return over;
}

/** kd ends with its host: what its target did then, it goes on doing. */
function deathOf(record: SessionRecord, now: number): Ended {
  const { breakpoints = 0 } = record;
  const guest = withBreakpoints(guestWithoutKd(record), breakpoints);
  const words: Record<GuestLeft, string> = {
    frozen: 'The target was halted and stays frozen until a debugger lets it run: kd-mcp rescue.',
    running: 'The target was running and goes on.',
    none: 'No target was connected.',
    unknown: 'A break was asked for and not answered: the target may be frozen. kd-mcp rescue finds out.',
  };
  const what = guestWithoutKd(record) === guest ? words[guest] : breakpointWords(breakpoints);
  return {
    at: now,
    guest,
    how: 'host-gone',
    reason: `The session host (process ${record.hostPid}) ended unexpectedly. ${what}`,
  };
}

function guestWithoutKd({ state, unanswered }: SessionRecord): GuestLeft {
  if (HALTED_STATES.includes(state)) return 'frozen';
  if (state === 'breaking' || unanswered !== undefined) return 'unknown';
  return state === 'running' ? 'running' : 'none';
}

function writeEnded(home: string, over: SessionRecord): void {
  ensurePrivateFolder(endedFolder(home));
  writeAtomic(endedPath(home, over), serialize(over));
}

/** Writes down something about a session that is over, e.g. that its guest was rescued. */
export function amendEnded(home: string, over: SessionRecord): void {
  writeAtomic(endedPath(home, over), serialize(over));
}

function endedPath(home: string, record: SessionRecord): string {
  return join(endedFolder(home), `${record.id}.${record.startedAt}.json`);
}

/** What a host that was killed could not remove itself. */
function cleanUp(home: string, over: SessionRecord): void {
  if (process.platform !== 'win32' && /[\\/][0-9a-f]{32}\.sock$/.test(over.socket)) removeFile(over.socket);
  const folder = ownTranscriptFolder(home, over.transcript);
  if (folder !== undefined) rmSync(join(folder, 'kd'), { recursive: true, force: true });
  if (over.work !== undefined) removeWork(over.work);
}

/** kd's own logs, which hold what it printed, and the empty folder: what a record says is not trusted to delete more. */
function removeWork(folder: string): void {
  if (!/^kd-\w{6}$/.test(basename(folder))) return;
  for (const name of listNames(folder)) if (/^kd-\d+\.log$/.test(name)) removeFile(join(folder, name));
  try {
    rmdirSync(folder);
  } catch {
    // Gone, or somebody keeps something in it.
  }
}

/** Keeps the newest {@link KEPT_SESSIONS}; transcripts that no record names any more go too. */
export function prune(home: string): void {
  const over = endedRecords(home);
  for (const record of over.slice(KEPT_SESSIONS)) {
    const folder = ownTranscriptFolder(home, record.transcript);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    removeFile(endedPath(home, record));
  }
  const named = new Set(
    [...over.slice(0, KEPT_SESSIONS), ...liveRecords(home)].map((record) =>
      ownTranscriptFolder(home, record.transcript),
    ),
  );
  const folders = transcriptsFolder(home);
  for (const name of listNames(folders)) {
    const folder = join(folders, name);
    if (!named.has(folder) && isOld(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** A session that starts right now has its folder before others see its record. */
function isOld(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > 3_600_000;
  } catch {
    return false;
  }
}

function readFolder(folder: string): readonly SessionRecord[] {
  return listNames(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => readRecord(join(folder, name)))
    .filter((record) => record !== undefined);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
