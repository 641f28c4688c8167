/** `kd-mcp log`: the transcript of a session, or the index of its commands, on stdout. */
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { neutralise } from '../client/neutralise.ts';
import { SessionError, type Sessions } from '../client/sessions.ts';
import type { SessionRecord } from '../host/protocol.ts';
import { normalizeSessionId } from '../kd/session-id.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

export async function log(
  id: string | undefined,
  options: GlobalOptions & { readonly commands?: boolean },
): Promise<void> {
  const sessions = openPerson(options);
  try {
    const record = await findRecord(sessions, id);
    const path = options.commands ? join(dirname(record.transcript), 'commands.jsonl') : record.transcript;
    await pipeline(createReadStream(path), harmless(), process.stdout, { end: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new SessionError(
        options.commands ? 'No command was sent in this session.' : 'Its transcript is gone.',
      );
    }
    throw error;
  } finally {
    sessions.dispose();
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
