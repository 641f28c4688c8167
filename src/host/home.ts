/**
 * Where things are in `<home>`, the folder that hosts and clients share.
 *
 * ```
 * sessions/<id>.json            live sessions; clients watch this folder
 * ended/<id>.<started>.json     sessions that are over
 * transcripts/<id>.<started>/   transcript.log, commands.jsonl, and kd/ while the session lives
 * run/<random>.sock             sockets (Unix)
 * logs/host-<id>.log
 * runtime/, bin/                the program itself, see runtime-folder.ts
 * ```
 * A transcript never moves, so a reader that has its path keeps it.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { ensurePrivateFolder } from './files.ts';

export const sessionsFolder = (home: string): string => join(home, 'sessions');
export const endedFolder = (home: string): string => join(home, 'ended');
export const transcriptsFolder = (home: string): string => join(home, 'transcripts');
export const logsFolder = (home: string): string => join(home, 'logs');

/** The folder of one session's transcript, and the files in it. */
export function sessionFiles(
  home: string,
  id: string,
  startedAt: number,
): {
  readonly folder: string;
  readonly transcript: string;
  readonly commands: string;
  readonly work: string;
} {
  const folder = join(transcriptsFolder(home), `${id}.${startedAt}`);
  return {
    folder,
    transcript: join(folder, 'transcript.log'),
    commands: join(folder, 'commands.jsonl'),
    work: join(folder, 'kd'),
  };
}

/** The folder of a transcript, if it is one of this home's: what a record says is not trusted to delete by. */
export function ownTranscriptFolder(home: string, transcript: string): string | undefined {
  const folder = dirname(resolve(transcript));
  return dirname(folder) === resolve(transcriptsFolder(home)) && !folder.endsWith(sep) ? folder : undefined;
}

/** An id as it may be used in a file name: what people can guess and type. */
export function isSessionId(id: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,59}$/i.test(id) && !id.includes('..') && !id.endsWith('.');
}

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, its final zero included. */
const SOCKET_PATH_BYTES = 103;

/** A new address for a host to listen on. Nobody can guess it; only its owner can reach it. */
export function newSocketPath(home: string): string {
  const name = randomBytes(16).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\kd-mcp-${name}`;
  const folder = join(home, 'run');
  const path = join(folder, `${name}.sock`);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES) {
    ensurePrivateFolder(folder);
    return path;
  }
  return join(temporaryFolder(), `${name}.sock`);
}

/** In a folder that everybody writes to, somebody else may have taken the name. */
function temporaryFolder(): string {
  const mine = userInfo().uid;
  const folder = join(tmpdir(), `kd-mcp-${mine}`);
  try {
    ensurePrivateFolder(folder);
    if (statSync(folder).uid === mine) return folder;
  } catch {
    // Not ours to enter: a fresh one then.
  }
  return mkdtempSync(join(tmpdir(), 'kd-mcp-'));
}
