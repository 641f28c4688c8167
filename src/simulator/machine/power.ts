/** How the guest crashes, goes down and comes up. */
import { at, BUGCHECK_STACK, DISPATCH_STACK, halt, place } from './halting.ts';
import { type Machine, resetMemory } from './machine.ts';
import { writeNumber } from './memory.ts';
import { createProcessor } from './processor.ts';

/** The guest crashes. */
export function crash(machine: Machine, code: number, parameters: readonly bigint[]): void {
  if (machine.state === 'off') return;
  machine.state = 'running';
  machine.bugcheck = { code, parameters };
  const block = at(machine, 'nt!KiBugCheckData');
  [BigInt(code), ...parameters].forEach((value, i) => {
    writeNumber(machine.memory, block + BigInt(8 * i), 8, value);
  });
  machine.listener?.({ kind: 'print', text: fatalErrorText(code, parameters) });
  place(machine, at(machine, 'nt!DbgBreakPointWithStatus'), BUGCHECK_STACK).rcx = 3n;
  halt(machine, { kind: 'bugcheck', code, parameters });
}

/** Puts the guest where it was when its memory was dumped. */
export function openDump(machine: Machine): void {
  const parameters = [0xdeadn, 2n, 0n, at(machine, 'mydriver!MyCrash') + 2n];
  machine.bugcheck = { code: 0xd1, parameters };
  place(machine, at(machine, 'nt!KeBugCheckEx'), ['mydriver!MyCrash', ...DISPATCH_STACK]);
  halt(machine, { kind: 'dump' });
}

function fatalErrorText(code: number, parameters: readonly bigint[]): string {
  const list = parameters.map((p) => `0x${p.toString(16).toUpperCase().padStart(16, '0')}`).join(',');
  return `\n*** Fatal System Error: 0x${code.toString(16).padStart(8, '0')}\n                       (${list})\n\n`;
}

function goDown(machine: Machine): void {
  machine.state = 'off';
  machine.stop = undefined;
  machine.bugcheck = undefined;
  machine.owedBreaks = 0;
  machine.current = 0;
  resetMemory(machine);
}

/** The guest restarts in an orderly way: it tells the debugger first. It runs again after {@link boot}. */
export function reboot(machine: Machine): void {
  goDown(machine);
  machine.listener?.({ kind: 'shutdown' });
}

/** Power went away: nobody was told. */
export function reset(machine: Machine): void {
  goDown(machine);
  machine.listener?.({ kind: 'reset' });
}

/** The guest is up (again). */
export function boot(machine: Machine): void {
  if (machine.state !== 'off') return;
  machine.state = 'running';
  machine.boots++;
  for (const processor of machine.processors) Object.assign(processor, createProcessor());
  machine.bootedAt = Date.now();
  resetMemory(machine);
  machine.listener?.({ kind: 'boot' });
}
