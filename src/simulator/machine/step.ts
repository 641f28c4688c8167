/** What a processor does when it executes: the few instructions that the modelled code is made of. */
import { at, halt, INT3, place } from './halting.ts';
import type { Machine } from './machine.ts';
import { readNumber } from './memory.ts';
import type { Processor } from './processor.ts';
import { stopAt } from './watch.ts';

const RETURN = 0xc3;
const CLEAR_EAX = [0x33, 0x31];
/** Flags after `xor eax,eax`: zero and parity set; overflow, sign, carry clear. */
const FLAGS_CHANGED = 0x8c5n;
const FLAGS_OF_ZERO = 0x44n;
/** More instructions than any modelled call has. */
const LONGEST_CALL = 10_000;

function current(machine: Machine): Processor {
  const processor = machine.processors[machine.current];
  if (!processor) throw new Error(`no processor ${machine.current}`);
  return processor;
}

/** Executes the instruction at rip. Returns false when the processor has returned from its outermost function. */
function executeOne(machine: Machine): boolean {
  const processor = current(machine);
  const code = machine.memory.read(processor.rip, 2);
  const opcode = code[0] ?? 0;
  if (opcode === RETURN) {
    processor.rip = readNumber(machine.memory, processor.rsp, 8) ?? 0n;
    processor.rsp += 8n;
    return processor.rip !== 0n;
  }
  if (CLEAR_EAX.includes(opcode) && code[1] === 0xc0) {
    processor.rax = 0n;
    processor.efl = (processor.efl & ~FLAGS_CHANGED) | FLAGS_OF_ZERO;
    processor.rip += 2n;
  } else processor.rip += 1n;
  return true;
}

function goIdle(machine: Machine): void {
  place(machine, at(machine, 'nt!KiIdleLoop') + 2n, ['nt!KiSystemStartup']);
}

/** A break instruction that has been reported is not executed again. */
function leaveBreak(machine: Machine): void {
  const processor = current(machine);
  if (machine.patches.has(processor.rip)) return;
  if (readNumber(machine.memory, processor.rip, 1) === INT3) processor.rip += 1n;
}

/** Executes one instruction of the halted guest's current processor, which then reports it. */
export function step(machine: Machine): void {
  if (machine.state !== 'halted') return;
  machine.state = 'running';
  leaveBreak(machine);
  if (!executeOne(machine)) goIdle(machine);
  halt(machine, { kind: 'step' });
}

/**
 * After a resume: the current processor finishes the calls it is in, unless it meets a breakpoint on its way back,
 * such as the one that a debugger sets to step out of a function.
 */
export function runOn(machine: Machine): void {
  if (machine.state !== 'running') return;
  leaveBreak(machine);
  for (let i = 0; i < LONGEST_CALL && executeOne(machine); i++) {
    const stop = stopAt(machine, current(machine).rip);
    if (stop) {
      halt(machine, stop);
      return;
    }
  }
  goIdle(machine);
}
