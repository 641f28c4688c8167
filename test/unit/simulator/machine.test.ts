import { expect, test } from 'vitest';
import { createMachine, type MachineEvent } from '../../../src/simulator/machine/machine.ts';
import { readNumber } from '../../../src/simulator/machine/memory.ts';
import { MODULES } from '../../../src/simulator/machine/modules.ts';
import { boot, crash, reboot, reset } from '../../../src/simulator/machine/power.ts';
import {
  breakIn,
  execute,
  loadModule,
  payOwedBreak,
  resume,
  stepOverBreak,
} from '../../../src/simulator/machine/run.ts';
import { addressOf, nameOf } from '../../../src/simulator/machine/symbols.ts';

function guest(processors = 2) {
  const machine = createMachine({ processors, breakProcessor: 0, extraProcesses: 0 });
  const events: MachineEvent[] = [];
  machine.listener = (event) => events.push(event);
  return { machine, events };
}

const at = (name: string) => addressOf(MODULES, name) ?? 0n;
const byteAt = (machine: ReturnType<typeof guest>['machine'], address: bigint) =>
  readNumber(machine.memory, address, 1);

test('a break stops a running guest at the break instruction of the kernel, with a stack', () => {
  const { machine, events } = guest();
  breakIn(machine);
  expect(machine.state).toBe('halted');
  expect(events).toEqual([{ kind: 'stop', stop: { kind: 'break' } }]);
  const processor = machine.processors[0];
  expect(nameOf(machine.modules, processor?.rip ?? 0n)).toBe('nt!DbgBreakPointWithStatus');
  expect(processor?.rcx).toBe(1n);
  const caller = readNumber(machine.memory, processor?.rsp ?? 0n, 8) ?? 0n;
  expect(nameOf(machine.modules, caller)).toBe('nt!KdCheckForDebugBreak+0x2');
});

test('two breaks in a row cause one stop only', () => {
  const { machine, events } = guest();
  breakIn(machine);
  breakIn(machine);
  expect(events).toHaveLength(1);
  expect(machine.owedBreaks).toBe(0);
});

test('a break that meets a stop for another reason is owed and stops the guest again', () => {
  const { machine } = guest();
  breakIn(machine);
  resume(machine, [at('mydriver!MyDispatch')]);
  execute(machine, 'mydriver!MyDispatch');
  breakIn(machine);
  expect(machine.owedBreaks).toBe(1);
  resume(machine, []);
  expect(payOwedBreak(machine)).toBe(true);
  expect(machine.stop).toEqual({ kind: 'break' });
});

test('a breakpoint is a byte in memory while the guest runs, and is hit when the function executes', () => {
  const { machine } = guest();
  const address = at('mydriver!MyDispatch');
  const original = byteAt(machine, address);
  breakIn(machine);
  resume(machine, [address]);
  expect(byteAt(machine, address)).toBe(0xccn);
  expect(execute(machine, 'mydriver!MyUnload')).toBe('ran');
  expect(execute(machine, 'mydriver!MyDispatch')).toBe('stopped');
  expect(machine.stop).toEqual({ kind: 'breakpoint', address });
  expect(byteAt(machine, address)).toBe(original);
});

test('an int 3 that somebody wrote by hand stops the guest without being a breakpoint', () => {
  const { machine } = guest();
  machine.memory.write(at('mydriver!MyDispatch'), Uint8Array.of(0xcc));
  execute(machine, 'MYDRIVER!mydispatch');
  expect(machine.stop?.kind).toBe('int3');
});

test('each call of the driver counts in its own memory', () => {
  const { machine } = guest();
  execute(machine, 'mydriver!MyDispatch');
  execute(machine, 'mydriver!MyDispatch');
  expect(readNumber(machine.memory, at('mydriver!g_Counter'), 4)).toBe(3n);
});

test('leaving a halted guest moves it behind the break instruction', () => {
  const { machine } = guest();
  breakIn(machine);
  stepOverBreak(machine);
  expect(nameOf(machine.modules, machine.processors[0]?.rip ?? 0n)).toBe('nt!DbgBreakPointWithStatus+0x1');
});

test('a crash prints the fatal error, fills KiBugCheckData and stops; going on restarts the guest', () => {
  const { machine, events } = guest();
  crash(machine, 0xd1, [0xdeadn, 2n, 0n, 3n]);
  expect(events.map((e) => e.kind)).toEqual(['print', 'stop']);
  expect(readNumber(machine.memory, at('nt!KiBugCheckData'), 8)).toBe(0xd1n);
  resume(machine, []);
  expect(machine.state).toBe('off');
  expect(events.at(-1)?.kind).toBe('shutdown');
  boot(machine);
  expect(machine.state).toBe('running');
  expect(machine.boots).toBe(2);
});

test('a reboot is announced, a reset is not, and both forget patches and changed memory', () => {
  for (const [goDown, kind] of [
    [reboot, 'shutdown'],
    [reset, 'reset'],
  ] as const) {
    const { machine, events } = guest();
    breakIn(machine);
    resume(machine, [at('nt!NtClose')]);
    goDown(machine);
    expect(events.at(-1)).toEqual({ kind });
    expect(machine.patches.size).toBe(0);
    expect(byteAt(machine, at('nt!NtClose'))).toBe(0x90n);
  }
});

test('a loaded driver appears in the list that the kernel itself keeps', () => {
  const { machine } = guest();
  loadModule(machine, 'otherdrv.sys');
  const names: string[] = [];
  const head = at('nt!PsLoadedModuleList');
  for (let entry = readNumber(machine.memory, head, 8) ?? head; entry !== head; ) {
    const length = Number(readNumber(machine.memory, entry + 0x58n, 2));
    const buffer = readNumber(machine.memory, entry + 0x60n, 8) ?? 0n;
    names.push(Buffer.from(machine.memory.read(buffer, length)).toString('utf16le'));
    entry = readNumber(machine.memory, entry, 8) ?? head;
  }
  expect(names).toEqual(['ntoskrnl.exe', 'hal.dll', 'mydriver.sys', 'otherdrv.sys']);
});

test('processes can be walked in memory from the kernel list', () => {
  const { machine } = guest();
  const head = at('nt!PsActiveProcessHead');
  const ids: number[] = [];
  for (let link = readNumber(machine.memory, head, 8) ?? head; link !== head; ) {
    ids.push(Number(readNumber(machine.memory, link - 8n, 8)));
    link = readNumber(machine.memory, link, 8) ?? head;
  }
  expect(ids).toEqual(machine.processes.map((p) => p.id));
});

test('module headers are in memory: MZ, PE and the export directory with its names', () => {
  const { machine } = guest();
  const base = MODULES[0]?.base ?? 0n;
  expect(Buffer.from(machine.memory.read(base, 2)).toString()).toBe('MZ');
  const exports = Number(readNumber(machine.memory, base + 0x80n + 24n + 112n, 4));
  const name = Number(readNumber(machine.memory, base + BigInt(exports) + 12n, 4));
  expect(Buffer.from(machine.memory.read(base + BigInt(name), 12)).toString()).toBe('ntkrnlmp.exe');
});
