/** One command of a line, and what it does. */
import type { Consequence } from './table/entry.ts';

export interface Part extends Consequence {
  readonly text: string;
}
