/**
 * Climbs the break-in ladder (design.md §3): send, wait for a stop, try the next way, begin again, until the time is up.
 *
 * A break can be swallowed (kd-behaviour.md §4.3) and a lost packet is not repeated (real engine, engine.md §6), so the
 * only proof is the stop itself.
 */
import type { Breaker } from './breakin.ts';

export interface Climb {
  readonly breaker: Breaker;
  /** How long a stop may take after one rung, ms. */
  readonly confirmMs: number;
  readonly deadline: number;
  /** Earliest time to send: right after `g` kd may still be at its prompt and drop the request. */
  readonly notBefore: number;
  /** Resolves true as soon as the target has stopped (or kd is gone), false after `ms`. */
  readonly stopped: (ms: number) => Promise<boolean>;
  readonly sent: () => void;
  readonly remark: (text: string) => void;
}

/** True: it stopped (or kd is gone). False: the time is up. */
export async function climb(climb: Climb): Promise<boolean> {
  const { breaker, deadline } = climb;
  const early = climb.notBefore - Date.now();
  if (early > 0 && (await climb.stopped(early))) return true;
  let failed = 0;
  let unanswered = false;
  // However short the time is: a break that was asked for is sent.
  for (let step = 0; !unanswered || Date.now() < deadline; step++) {
    const rung = breaker.rungs[step % breaker.rungs.length] ?? 'byte-06';
    const result = breaker.send(rung);
    if (!result.ok) {
      climb.remark(`break by ${rung} failed: ${result.error}`);
      failed++;
      // Nothing can be sent at all: wait for kd's own exit instead of spinning.
      if (failed < breaker.rungs.length) continue;
      return climb.stopped(Math.max(0, deadline - Date.now()));
    }
    failed = 0;
    climb.sent();
    if (unanswered) climb.remark(`the break was not answered, sent again by ${rung}`);
    unanswered = true;
    if (await climb.stopped(Math.max(0, Math.min(climb.confirmMs, deadline - Date.now())))) return true;
  }
  return false;
}
