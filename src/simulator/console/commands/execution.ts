/** Commands that let the guest run, step, restart or crash, and the processor that is looked at. */
import { readNumber } from '../../machine/memory.ts';
import { crash, reboot } from '../../machine/power.ts';
import { nameOf } from '../../machine/symbols.ts';
import { addPlain, tryEvaluate } from '../breakpoints.ts';
import { type Command, CommandError, caretError, type Execution, type Invocation } from '../command.ts';
import { type Debugger, registers } from '../debugger.ts';
import { instructionAt, locationLines } from '../location.ts';
import { BREAK_SYMBOL } from '../texts.ts';
import { registerBlock } from './registers.ts';

/** A dump or the local kernel cannot run. */
function requireRunnable(kd: Debugger, call: Invocation): void {
  const { kind } = kd.options.target;
  if (kind === 'dump' || kind === 'local') throw caretError(kd, 0, 'No runnable debuggees error', call.text);
  if (kd.inBootDebugger && !kd.bootRefused) {
    kd.bootRefused = true;
    throw new CommandError(`    ^ Unable to get program counter '${call.text}'\n`);
  }
}

function* go(kd: Debugger, call: Invocation): Execution {
  const { target } = kd.options;
  // With several dumps `g` goes on to the next one (real engine).
  if (target.kind === 'dump' && kd.dump + 1 < target.files.length) {
    kd.dump++;
    yield locationLines(kd);
    return;
  }
  requireRunnable(kd, call);
  const expression = call.rest.trim().replace(/^=\s*\S+\s*/, '');
  if (expression !== '') yield* stopOnceAt(kd, expression, tryEvaluate(kd, expression));
  yield { kind: 'resume' };
}

function* stopOnceAt(kd: Debugger, expression: string, address: bigint | undefined): Execution {
  if (address === undefined) {
    yield `Bp expression '${expression}' could not be resolved, adding deferred bp\n`;
  }
  addPlain(kd, { address, expression }, { once: true, untilStop: true });
}

/** One instruction; `ret` takes its address from the stack. */
function stepOne(kd: Debugger): void {
  const processor = registers(kd);
  const instruction = instructionAt(kd, processor.rip);
  if (instruction?.mnemonic === 'ret') {
    processor.rip = readNumber(kd.machine.memory, processor.rsp, 8) ?? 0n;
    processor.rsp += 8n;
  } else processor.rip += BigInt(instruction?.bytes.length ?? 1);
  if (instruction?.mnemonic === 'xor') processor.rax &= 0xffffffff_00000000n;
}

function afterStep(kd: Debugger): string {
  kd.context = undefined;
  kd.machine.stop = { kind: 'step' };
  kd.stopText = '';
  kd.lastEvent = 'Single step exception - code 80000004 (first chance)';
  kd.lastEventTime = new Date();
  return (kd.hiddenAtPrompt.has('reg') ? '' : registerBlock(kd)) + locationLines(kd);
}

function* step(kd: Debugger, call: Invocation): Execution {
  requireRunnable(kd, call);
  stepOne(kd);
  yield afterStep(kd);
}

function* stepOut(kd: Debugger, call: Invocation): Execution {
  requireRunnable(kd, call);
  const processor = registers(kd);
  processor.rip = readNumber(kd.machine.memory, processor.rsp, 8) ?? 0n;
  processor.rsp += 8n;
  yield afterStep(kd);
}

function* selectProcessor(kd: Debugger, call: Invocation): Execution {
  const match = /^(\d+)s$/.exec(call.rest.trim());
  if (!match) throw caretError(kd, 0, 'Syntax error', call.text);
  const number = Number(match[1]);
  if (number >= kd.machine.processors.length)
    throw new CommandError(`${number} is not a valid processor number\n`);
  kd.processor = number;
  kd.context = undefined;
  // Only the processor that stands at the break shows it again (real engine).
  const atBreak = nameOf(kd.machine.modules, registers(kd).rip) === BREAK_SYMBOL;
  yield kd.machine.stop?.kind === 'break' && !atBreak ? '' : kd.stopText;
}

export const EXECUTION: readonly Command[] = [
  { names: ['g', 'gh', 'gn', 'gN', 'gc'], run: go },
  { names: ['p', 't', 'pc', 'tc', 'pt', 'tt', 'pa', 'ta', 'ph', 'th'], target: true, run: step },
  { names: ['gu'], target: true, run: stepOut },
  { names: ['~'], target: true, run: selectProcessor },
  {
    names: ['.reboot'],
    target: true,
    *run(kd, call) {
      requireRunnable(kd, call);
      yield { kind: 'resume', act: () => reboot(kd.machine) };
    },
  },
  {
    names: ['.crash'],
    target: true,
    *run(kd, call) {
      requireRunnable(kd, call);
      yield { kind: 'resume', act: () => crash(kd.machine, 0xe2, [0n, 0n, 0n, 0n]) };
    },
  },
];
