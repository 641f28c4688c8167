/** What a request may do to the guest. */
import type { Machine } from '../machine/machine.ts';
import type { BreakpointTable } from './breakpoints.ts';
import type { RegisterRecord } from './context.ts';
import type { Reply, Request } from './request.ts';

export interface Guest {
  readonly machine: Machine;
  readonly breakpoints: BreakpointTable;
  /** Records of a processor; of the first for a number that there is not. */
  context(processor: number): RegisterRecord;
  special(processor: number): RegisterRecord;
  /** Lets the guest run, or execute one instruction. */
  goOn(how: 'run' | 'step'): void;
  /** Reports the stop as another processor sees it. */
  switchTo(processor: number): void;
  crash(): void;
  reboot(): void;
}

/** Answers a request; undefined for those that are only acknowledged. */
export type Handler = (guest: Guest, request: Request) => Reply | undefined;

export interface RequestKind {
  readonly api: number;
  readonly name: string;
  readonly handle: Handler;
}
