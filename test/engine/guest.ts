/** A simulated guest on KDNET for one test. */
import { onTestFinished } from 'vitest';
import { type Guest, type GuestOptions, spawnGuest } from './wire-guest.ts';

export { type Guest, KEY } from './wire-guest.ts';

/** Starts a guest; it ends with the test. */
export async function startGuest(options: GuestOptions = {}): Promise<Guest> {
  const guest = await spawnGuest(options);
  onTestFinished(guest.end);
  return guest;
}
