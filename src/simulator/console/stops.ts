/** What happens at a stop before the prompt: breakpoint commands, texts, location lines, the per-prompt command. */
import type { Stop } from '../machine/machine.ts';
import { nameOf } from '../machine/symbols.ts';
import type { Execution } from './command.ts';
import { registerBlock } from './commands/registers.ts';
import { type Breakpoint, type Debugger, registers } from './debugger.ts';
import { locationLines } from './location.ts';
import { BREAK_EXCEPTION, BREAK_SYMBOL, bugcheckStop, kdTime, starBox, tick } from './texts.ts';

/** Prints a stop. A breakpoint whose command lets the guest run prints nothing else (engine.md transcript 03). */
export function* stopExecution(kd: Debugger, stop: Stop): Execution {
  if (kd.inBootDebugger) {
    yield 'Unable to get program counter\nWaitForEvent failed\n';
    return;
  }
  const breakpoint =
    stop.kind === 'breakpoint' ? kd.breakpoints.find((b) => b.address === stop.address) : undefined;
  if (breakpoint && breakpoint.left > 1) {
    breakpoint.left--;
    yield { kind: 'resume' };
  }
  if (breakpoint) breakpoint.left = breakpoint.passes;
  kd.breakpoints = kd.breakpoints.filter((b) => !b.untilStop);
  if (breakpoint?.once) kd.breakpoints = kd.breakpoints.filter((b) => b !== breakpoint);
  recordEvent(kd, stop, breakpoint);
  const command = breakpoint?.command || (stop.kind === 'load' ? kd.filters.get('ld')?.command : '') || '';
  if (command !== '') yield* kd.execute(command);
  else yield kd.stopText;
  if (!kd.hiddenAtPrompt.has('reg')) yield registerBlock(kd);
  yield locationLines(kd);
  if (kd.perPrompt !== '') yield* kd.execute(kd.perPrompt);
}

/** Sets the text of the stop, which `~Ns` prints again, and `.lastevent`. */
function recordEvent(kd: Debugger, stop: Stop, breakpoint: Breakpoint | undefined): void {
  kd.lastEventTime = new Date();
  switch (stop.kind) {
    case 'break': {
      // A debugger that left with q moved the processor on: the next one shows no box (engine.md §6).
      const inPlace = nameOf(kd.machine.modules, registers(kd).rip) === BREAK_SYMBOL;
      kd.stopText = BREAK_EXCEPTION + (kd.options.quiet || !inPlace ? '' : starBox(kd.style.oldBox));
      kd.lastEvent = BREAK_EXCEPTION.trimEnd();
      return;
    }
    case 'bugcheck':
      kd.stopText = bugcheckStop(kd.style.shortBugcheck, stop.code, stop.parameters);
      kd.lastEvent = BREAK_EXCEPTION.trimEnd();
      return;
    case 'int3':
      kd.stopText = BREAK_EXCEPTION;
      kd.lastEvent = BREAK_EXCEPTION.trimEnd();
      return;
    case 'breakpoint':
      kd.stopText = breakpoint?.once ? '' : `Breakpoint ${breakpoint?.id ?? 0} hit\n`;
      kd.lastEvent = `Hit breakpoint ${breakpoint?.id ?? 0}`;
      return;
    case 'dump':
      kd.stopText = `Loading Kernel Symbols\n...\nLoading User Symbols\n\nLoading unloaded module list\n..\nFor analysis of this file, run !analyze -v\n`;
      kd.lastEvent = '';
      return;
    case 'step':
      kd.stopText = '';
      kd.lastEvent = 'Single step exception - code 80000004 (first chance)';
      return;
    case 'load':
      kd.stopText = '';
      kd.heard.add(stop.module.name);
      kd.lastEvent = `Load module ${stop.module.file} at ${tick(stop.module.base)}`;
      return;
  }
}

/** `.lastevent`. */
export function lastEventText(kd: Debugger): string {
  return `Last event: ${kd.lastEvent}\n  debugger time: ${kdTime(kd.lastEventTime)}\n`;
}
