/** `kd-mcp rescue`: frees guests that a session which died left halted. Exit code 1 when one of them needs a person. */
import { takenOver } from '../client/rescuable.ts';
import { rescue as rescueGuests } from '../client/rescue.ts';
import { normalizeSessionId } from '../kd/session-id.ts';
import { readStateFile } from '../state-file/read.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

export async function rescue(
  id: string | undefined,
  options: GlobalOptions & { readonly stateFile?: string },
): Promise<number> {
  const sessions = openPerson(options);
  try {
    const key = options.stateFile === undefined ? undefined : (await readStateFile(options.stateFile)).key;
    const reports = await rescueGuests(sessions, {
      ...(id === undefined ? {} : { id: normalizeSessionId(id) }),
      ...(key === undefined ? {} : { key }),
    });
    if (reports.length === 0) {
      process.stdout.write('No guest is known to be frozen.\n');
      for (const { id, state } of await takenOver(sessions))
        process.stdout.write(
          `${id} (${state}) has taken over a guest that was. See it: kd-mcp attach ${id}\n`,
        );
    }
    for (const report of reports) {
      process.stdout.write(`${report.detail}\n`);
      if (report.outcome === 'ask')
        process.stdout.write(
          `If it may run again: kd-mcp rescue ${report.id} [--state-file <file that holds its key>]\n`,
        );
    }
    return reports.every(({ outcome }) => outcome === 'resumed' || outcome === 'was-running') ? 0 : 1;
  } finally {
    sessions.dispose();
  }
}
