/** `kd-mcp stop`. */
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';
import { endWords } from './words.ts';

export async function stop(
  id: string | undefined,
  options: GlobalOptions & { readonly leaveFrozen?: boolean },
): Promise<void> {
  const sessions = openPerson(options);
  try {
    const session = await sessions.open(id);
    const { guest, detail } = await session.stop(options.leaveFrozen ? 'leave_frozen' : 'resume');
    process.stdout.write(`${endWords(session.id, guest, detail)}\n`);
  } finally {
    sessions.dispose();
  }
}
