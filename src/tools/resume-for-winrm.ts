/** resume_for_winrm: gives the guest back and says when WinRM can be used again. */
import { text } from './arguments.ts';
import { openSession, SESSION_ID } from './open.ts';
import { runControlReply, watched } from './run-control.ts';
import type { Tool } from './tool.ts';
import { waitFor } from './wait.ts';

/** More than `continue_wait_sec` has by default: the wait ends as soon as WinRM answers. */
const DEFAULT_WAIT_SEC = 20;

export const resumeForWinrmTool: Tool = {
  name: 'resume_for_winrm',
  title: 'Resume for WinRM',
  description:
    'Let the target run and wait until WinRM of the guest answers again (TCP 5985, 5986). Use it before you go back to WinRM-MCP, also when the target runs already. Ends early if the target stops again.',
  args: {
    session_id: SESSION_ID,
    wait_sec: { type: 'number', description: 'Default 20, at most 45', minimum: 0 },
    guest_host: {
      type: 'string',
      description: 'Address of the guest, if neither state file nor KDNET tells it',
    },
  },
  effect: 'act',
  needsConfig: false,
  run: async (args, context) => {
    // Brings HTTP and TLS with it, which nobody needs before.
    const { returnToWinrm } = await import('./winrm-return.ts');
    const session = await openSession(args, context);
    const wait = waitFor(args, 'wait_sec', Math.max(DEFAULT_WAIT_SEC, context.config.kd.continue_wait_sec));
    const { signal, progress } = context;
    const guestHost = text(args, 'guest_host');
    const end = await watched(session, progress, () =>
      returnToWinrm(session, {
        timeoutMs: wait.ms,
        signal,
        progress,
        ...(guestHost === undefined ? {} : { guestHost }),
      }),
    );
    const last = end.stop ?? { ...end.ran, to: session.info.transcriptEnd, info: session.info };
    return runControlReply(session, { ...last, from: Math.min(end.ran.from, last.from) }, [
      ...end.words,
      wait.remark,
    ]);
  },
};
