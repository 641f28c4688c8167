/** How long a call may wait. Clients give up after 60 s (design.md §5). */

import { number } from './arguments.ts';
import { type Arguments, ToolError } from './tool.ts';

/** No call waits longer, whatever it asks for. The same number as `LONGEST_CALL_SEC` of the settings. */
export const LONGEST_WAIT_SEC = 45;
/** Kept free for what comes after a wait: reading output, writing the reply. */
const MARGIN_MS = 1_500;

export interface Wait {
  readonly ms: number;
  readonly seconds: number;
  /** Says that less is waited than was asked for. */
  readonly remark?: string;
}

/** The wait a call asks for with argument `name`, or `fallback` seconds; never above {@link LONGEST_WAIT_SEC}. */
export function waitFor(args: Arguments, name: string, fallback: number): Wait {
  const wanted = number(args, name) ?? fallback;
  if (wanted < 0) throw new ToolError(`${name}: expected 0 or more seconds, found ${wanted}.`);
  const seconds = Math.min(wanted, LONGEST_WAIT_SEC);
  const ms = Math.min(Math.round(seconds * 1000), LONGEST_WAIT_SEC * 1000 - MARGIN_MS);
  if (wanted <= LONGEST_WAIT_SEC) return { ms, seconds };
  return {
    ms,
    seconds,
    remark: `note: ${name} ${wanted} was lowered to ${LONGEST_WAIT_SEC}; call again to wait longer`,
  };
}

/** Settles with `work`, or rejects as soon as the client gives up or its connection ends. Whatever kd does goes on. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) throw new Cancelled();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

/** The client cancelled the call, or its connection ended. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
  constructor() {
    super(
      'The call was cancelled: this program stopped waiting. What kd does goes on; list_sessions shows the state.',
    );
  }
}
