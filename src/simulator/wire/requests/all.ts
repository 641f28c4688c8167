/** All requests that the target answers, by number; it fails the others. */
import type { RequestKind } from '../guest.ts';
import { CONTROL } from './control.ts';
import { MEMORY } from './memory.ts';
import { REGISTERS } from './registers.ts';

export const REQUESTS: ReadonlyMap<number, RequestKind> = new Map(
  [...MEMORY, ...REGISTERS, ...CONTROL].map((kind) => [kind.api, kind]),
);
