/** `kd-mcp sessions`. */
import type { SessionRecord } from '../host/protocol.ts';
import { endedLine, liveLine } from '../tools/list-sessions.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

const ENDED_SHOWN = 10;

export async function printSessions(options: GlobalOptions & { readonly json?: boolean }): Promise<void> {
  const sessions = openPerson(options);
  try {
    const live = await sessions.list();
    const ended = await sessions.ended(ENDED_SHOWN);
    if (options.json) {
      print(JSON.stringify({ live: live.map(withoutToken), ended: ended.map(withoutToken) }, null, 2));
      return;
    }
    const now = Date.now();
    if (live.length === 0) print(`No session lives in ${sessions.home}.`);
    for (const record of live) print(liveLine(record, now));
    for (const record of ended) print(endedLine(record, now));
  } finally {
    sessions.dispose();
  }
}

/** The token lets anybody who reads it use the session. */
function withoutToken({ token: _, ...record }: SessionRecord): Omit<SessionRecord, 'token'> {
  return record;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
