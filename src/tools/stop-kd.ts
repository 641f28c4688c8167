/** stop_kd: ends a session for everybody. */
import { flag, text } from './arguments.ts';
import { openSession, SESSION_ID } from './open.ts';
import { formatReply } from './reply.ts';
import { oneLine } from './text.ts';
import type { Tool } from './tool.ts';
import { unlessAborted } from './wait.ts';

export const stopKdTool: Tool = {
  name: 'stop_kd',
  title: 'Stop session',
  description:
    'End the session for everybody who uses it: breakpoints are cleared, the guest runs on, kd exits and its port is free. Not needed to give the guest back: continue_go does that and keeps the session.',
  args: {
    session_id: SESSION_ID,
    guest: {
      type: 'string',
      description: 'resume (default). leave_frozen only if a person asked for it',
      enum: ['resume', 'leave_frozen'],
    },
    terminate_target: { type: 'boolean', description: 'Accepted, has no effect: the guest is resumed' },
  },
  effect: 'act',
  destructive: true,
  idempotent: true,
  needsConfig: false,
  run: async (args, context) => {
    const session = await openSession(args, context);
    const guest = text(args, 'guest') === 'leave_frozen' ? 'leave_frozen' : 'resume';
    const stopped = await unlessAborted(context.signal, session.stop(guest));
    const id = session.id;
    session.dispose();
    return formatReply({
      first: `${id} · ended · guest: ${guestWords(stopped.guest)} · cursor ${stopped.info.transcriptEnd}`,
      remarks: [
        ...(stopped.detail === '' ? [] : [oneLine(stopped.detail, 400)]),
        ...(flag(args, 'terminate_target') === undefined
          ? []
          : ['note: terminate_target has no effect: a guest is never ended from here, it is resumed']),
      ],
      next: `Its output stays readable: read_output(session_id="${id}")`,
    });
  },
};

function guestWords(guest: 'running' | 'frozen' | 'unknown' | 'none'): string {
  switch (guest) {
    case 'running':
      return 'running';
    case 'frozen':
      return 'FROZEN (no network until a debugger resumes it)';
    case 'unknown':
      return 'unknown';
    case 'none':
      return 'none was connected';
  }
}
