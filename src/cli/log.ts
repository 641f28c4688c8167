/** `kd-mcp log`: the commands of a session, or its transcript, on stdout. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { neutralise, neutraliseJson } from '../client/neutralise.ts';
import { SessionError, type Sessions } from '../client/sessions.ts';
import type { SessionRecord } from '../host/protocol.ts';
import { normalizeSessionId } from '../kd/session-id.ts';
import { TABLE_HEAD, tableRow } from './command-table.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

export interface LogOptions extends GlobalOptions {
  readonly json?: boolean;
  readonly transcript?: boolean;
}

/** stdout stays open. */
const OPEN = { end: false } as const;

export async function log(id: string | undefined, options: LogOptions): Promise<void> {
  const sessions = openPerson(options);
  try {
    const { transcript } = await findRecord(sessions, id);
    const index = join(dirname(transcript), 'commands.jsonl');
    if (options.transcript) await pipeline(createReadStream(transcript), harmless(), process.stdout, OPEN);
    else await pipeline(commands(index, options.json === true), process.stdout, OPEN);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new SessionError(
        options.transcript ? 'Its transcript is gone.' : 'No command was sent in this session.',
      );
    }
    throw error;
  } finally {
    sessions.dispose();
  }
}

/** Who sent what, what it does, whether it was let through, and how it ended: a line each. */
async function* commands(path: string, json: boolean): AsyncGenerator<string> {
  const file = await open(path);
  if (!json) yield `${TABLE_HEAD}\n`;
  for await (const line of file.readLines()) {
    const shown = json ? neutraliseJson(line) : tableRow(line);
    if (shown !== undefined) yield `${json ? shown : neutralise(shown)}\n`;
  }
}

/** A live session, else the one of that id that ended last. */
async function findRecord(sessions: Sessions, id: string | undefined): Promise<SessionRecord> {
  const live = await sessions.list();
  const ended = await sessions.ended(200);
  const wanted = id === undefined ? undefined : normalizeSessionId(id);
  const found =
    wanted === undefined ? onlyOne(live, ended) : [...live, ...ended].find((record) => record.id === wanted);
  if (found) return found;
  const ids = [...new Set([...live, ...ended].map((record) => record.id))];
  throw new SessionError(
    `${id === undefined ? 'Say which session' : `There is no session ${id}`}. Sessions: ${ids.join(', ') || 'none'}.`,
  );
}

function onlyOne(live: readonly SessionRecord[], ended: readonly SessionRecord[]): SessionRecord | undefined {
  const candidates = live.length > 0 ? live : ended;
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The guest's text reaches a terminal here: nothing in it may be obeyed. */
function harmless(): Transform {
  const decoder = new StringDecoder('utf8');
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, neutralise(decoder.write(chunk))),
    flush: (done) => done(null, neutralise(decoder.end())),
  });
}
