/** What chain.ts and the host it starts say to each other. */
import { RequestType } from 'vscode-jsonrpc';

/** Stops the running target; which rung did it, why those before it did not, and milliseconds up to kd's prompt. */
export const breakOnce = new RequestType<
  Record<string, never>,
  { readonly rung: string; readonly refused: readonly string[]; readonly ms: number },
  void
>('breakOnce');
/** Lets the target run. */
export const resume = new RequestType<Record<string, never>, null, void>('resume');
/** A text to kd and back. */
export const echo = new RequestType<{ readonly text: string }, string, void>('echo');
export const pids = new RequestType<
  Record<string, never>,
  { readonly host: number; readonly kd: number },
  void
>('pids');
