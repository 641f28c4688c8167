/** Waiting, but not for ever. */
import type { CancellationToken } from 'vscode-jsonrpc';
import type { Clock } from './clock.ts';

/** Resolves with what `work` resolves with, or undefined when the time is over. */
export async function withinTime<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.after(ms, () => resolve(undefined));
  try {
    return await Promise.race([work, over]);
  } finally {
    timer.dispose();
  }
}

/** Resolves when the client has given up. */
export function whenAborted(token: CancellationToken): Promise<undefined> {
  return new Promise((resolve) => {
    if (token.isCancellationRequested) resolve(undefined);
    else token.onCancellationRequested(() => resolve(undefined));
  });
}

/** The same as a signal. */
export function signalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  void whenAborted(token).then(() => controller.abort());
  return controller.signal;
}
