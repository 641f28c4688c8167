/** `kd-mcp level`: what agents may do in a session, lowered. */
import { SessionError } from '../client/sessions.ts';
import { LEVELS } from '../config/levels.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

/** Never raises: an agent that has a shell could type this too. */
export async function lowerLevel(
  wanted: string,
  id: string | undefined,
  options: GlobalOptions,
): Promise<void> {
  const level = LEVELS.find((one) => one === wanted);
  if (level === undefined)
    throw new SessionError(`"${wanted}" is no level. There are: ${LEVELS.join(', ')}.`);
  const sessions = openPerson(options);
  try {
    const session = await sessions.open(id);
    const { level: before = 'unrestricted' } = session.info;
    if (LEVELS.indexOf(level) > LEVELS.indexOf(before)) {
      throw new SessionError(
        `${session.id} has the level ${before}, which is only lowered here. To raise it: "KD: Set Agent Level…" in VS Code, or security.level in the configuration and a new session.`,
      );
    }
    // The same again would be a person's word for agents whose configuration says less.
    if (level !== before) await session.setLevel(level);
    process.stdout.write(`${session.id}: agents' level ${level}\n`);
  } finally {
    sessions.dispose();
  }
}
