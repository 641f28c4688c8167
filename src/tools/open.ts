/** The session a call is about. */
import type { Session } from '../client/sessions.ts';
import { text } from './arguments.ts';
import type { Argument, Arguments, ToolContext } from './tool.ts';

/** The argument of all tools that work on a session. */
export const SESSION_ID: Argument = {
  type: 'string',
  description: 'Session, e.g. net-50000. May be left out when only one lives.',
};

/**
 * Joins the session named in the call, or the only one.
 * @throws SessionError that lists the ids, or says how the session ended.
 */
export function openSession(args: Arguments, context: ToolContext): Promise<Session> {
  const id = text(args, 'session_id')?.trim();
  return context.sessions.open(id === '' ? undefined : id);
}
