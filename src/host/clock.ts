/** Time as the guest-keeping rules see it. Tests bring their own. */
import type { Disposable } from './disposable.ts';

export interface Clock {
  /** Milliseconds since the epoch; jumps when somebody sets the clock or the machine slept. */
  wall(): number;
  /** Milliseconds that never go back; stands still or goes on while the machine sleeps, as the system likes it. */
  monotonic(): number;
  after(ms: number, action: () => void): Disposable;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
