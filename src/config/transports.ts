/** The names of the ways to a target, as settings and tools offer them. */
import type { Transport } from '../kd/connection.ts';

export const TRANSPORTS: readonly [Transport, ...Transport[]] = [
  'net',
  'com',
  'pipe',
  'tcp',
  'usb',
  'local',
  'dump',
  'remote',
  'raw',
  'simulator',
];
