/** The guest's debugger support, asked by the model of a host without any network between them. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { at } from '../../../../src/simulator/machine/halting.ts';
import { createMachine, type MachineEvent } from '../../../../src/simulator/machine/machine.ts';
import { crash, reboot } from '../../../../src/simulator/machine/power.ts';
import { breakIn, execute, loadModule, print, unloadModule } from '../../../../src/simulator/machine/run.ts';
import { PACKET } from '../../../../src/simulator/wire/packet.ts';
import { KdTarget } from '../../../../src/simulator/wire/target.ts';
import { ModelHost, type Received } from './model-host.ts';

const STATUS_UNSUCCESSFUL = 0xc0000001;
const GET_VERSION = 0x3146;
const READ_MEMORY = 0x3130;
const WRITE_MEMORY = 0x3131;
const GET_CONTEXT = 0x3132;
const SET_CONTEXT = 0x3133;
const WRITE_BREAKPOINT = 0x3134;
const RESTORE_BREAKPOINT = 0x3135;
const CONTINUE = 0x313c;
const SWITCH_PROCESSOR = 0x3150;
const READ_CONTROL_SPACE = 0x3137;
const WRITE_CONTROL_SPACE = 0x3138;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function guest(processors = 2) {
  const machine = createMachine({ processors, breakProcessor: 0, extraProcesses: 0 });
  const events: MachineEvent[] = [];
  let downs = 0;
  let connected = true;
  const target: KdTarget = new KdTarget(machine, {
    transmit: (body) => connected && host.receive(body),
    isConnected: () => connected,
    onBreakRequest: () => breakIn(machine),
    onDown: () => downs++,
    onGuest: (event) => events.push(event),
    onAnswer: () => {},
  });
  const host: ModelHost = new ModelHost((body) => target.receive(body));
  const read = async (address: bigint, length: number) => {
    const reply = await host.request(READ_MEMORY, (p) => {
      p.writeBigUInt64LE(address, 0);
      p.writeUInt32LE(length, 8);
    });
    return reply.subarray(56);
  };
  const goOn = (trace: boolean) => {
    void host.request(CONTINUE, (p) => {
      p.writeUInt32LE(0x10002, 0);
      p.writeUInt32LE(trace ? 1 : 0, 4);
    });
    // It is acknowledged, not answered: the model must not wait for more.
    host.forget();
  };
  return {
    machine,
    target,
    host,
    events,
    read,
    goOn,
    downs: () => downs,
    setConnected: (on: boolean) => {
      connected = on;
    },
  };
}

const statusOf = (reply: Buffer) => reply.readUInt32LE(8);
const stopOf = (received: Received | undefined) => {
  const content = received?.content ?? Buffer.alloc(0xf0);
  return {
    state: content.readUInt32LE(0),
    processor: content.readUInt16LE(6),
    processors: content.readUInt32LE(8),
    pc: content.readBigUInt64LE(0x18),
    code: content.readUInt32LE(0x20),
    instruction: content.subarray(0xd8, 0xd8 + content.readUInt16LE(0xd4)),
  };
};

test('a break request stops the guest at the break instruction, which the report shows', () => {
  const { machine, host } = guest();
  host.breakIn();
  expect(host.received.map((r) => r.type)).toEqual([PACKET.stateChange]);
  const stop = stopOf(host.received[0]);
  expect(stop).toMatchObject({ state: 0x3030, processor: 0, processors: 2, code: 0x80000003 });
  expect(stop.pc).toBe(at(machine, 'nt!DbgBreakPointWithStatus'));
  expect(stop.instruction[0]).toBe(0xcc);
  expect(stop.instruction).toHaveLength(16);
});

test('the version names the kernel base, its module list and the debugger data block', async () => {
  const { machine, host, read } = guest();
  host.breakIn();
  const version = (await host.request(GET_VERSION)).subarray(16);
  expect(version.readUInt16LE(2)).toBe(19041);
  expect(version.readUInt16LE(8)).toBe(0x8664);
  expect(version.readBigUInt64LE(16)).toBe(at(machine, 'nt'));
  const list = version.readBigUInt64LE(32);
  const block = (await read(list, 8)).readBigUInt64LE(0);
  expect((await read(block + 0x10n, 4)).toString('latin1')).toBe('KDBG');
  expect((await read(block + 0x18n, 8)).readBigUInt64LE(0)).toBe(at(machine, 'nt'));
  const bugcheck = (await read(block + 0x88n, 8)).readBigUInt64LE(0);
  expect(bugcheck).toBe(at(machine, 'nt!KiBugCheckData'));
});

test('memory reads back what was written; what is not there fails', async () => {
  const { machine, host, read } = guest();
  host.breakIn();
  const address = at(machine, 'mydriver!g_Counter');
  const reply = await host.request(
    WRITE_MEMORY,
    (p) => {
      p.writeBigUInt64LE(address, 0);
      p.writeUInt32LE(2, 8);
    },
    Uint8Array.of(0x41, 0x42),
  );
  expect(statusOf(reply)).toBe(0);
  expect((await read(address, 2)).toString()).toBe('AB');
  const missing = await host.request(READ_MEMORY, (p) => p.writeUInt32LE(8, 8));
  expect(statusOf(missing)).toBe(STATUS_UNSUCCESSFUL);
});

test('a request that the target does not know fails', async () => {
  const { host } = guest();
  host.breakIn();
  expect(statusOf(await host.request(0x31ff))).toBe(STATUS_UNSUCCESSFUL);
});

test('registers are read and written as a context record, also those that the machine does not model', async () => {
  const { machine, host } = guest();
  host.breakIn();
  const record = (await host.request(GET_CONTEXT)).subarray(56);
  expect(record).toHaveLength(0x4d0);
  expect(record.readBigUInt64LE(0xf8)).toBe(at(machine, 'nt!DbgBreakPointWithStatus'));
  record.writeBigUInt64LE(0x1234n, 0x78);
  record.writeBigUInt64LE(0x5678n, 0x200);
  await host.request(SET_CONTEXT, undefined, record);
  expect(machine.processors[0]?.rax).toBe(0x1234n);
  const again = (await host.request(GET_CONTEXT)).subarray(56);
  expect(again.readBigUInt64LE(0x200)).toBe(0x5678n);
});

test('a breakpoint has a handle, hits when the driver runs, and is gone from memory at the stop', async () => {
  const { machine, host, read, goOn } = guest();
  host.breakIn();
  const address = at(machine, 'mydriver!MyDispatch');
  const reply = await host.request(WRITE_BREAKPOINT, (p) => p.writeBigUInt64LE(address, 0));
  expect(reply.readUInt32LE(16 + 8)).toBe(1);
  expect((await read(address, 1))[0]).toBe(0xcc);
  goOn(false);
  expect(machine.state).toBe('running');
  execute(machine, 'mydriver!MyDispatch');
  const stop = stopOf(host.received.at(-1));
  expect(stop).toMatchObject({ code: 0x80000003, pc: address });
  expect(stop.instruction[0]).toBe(0x90);
  const restored = await host.request(RESTORE_BREAKPOINT, (p) => p.writeUInt32LE(1, 0));
  expect(statusOf(restored)).toBe(0);
  const twice = await host.request(RESTORE_BREAKPOINT, (p) => p.writeUInt32LE(1, 0));
  expect(statusOf(twice)).toBe(STATUS_UNSUCCESSFUL);
});

test('a step executes one instruction, and a way out stops at the breakpoint on the caller', async () => {
  const { machine, host, goOn } = guest();
  machine.memory.write(at(machine, 'mydriver!MyDispatch'), Uint8Array.of(0xcc));
  execute(machine, 'mydriver!MyDispatch');
  const address = at(machine, 'mydriver!MyDispatch');
  goOn(true);
  // The break instruction itself was reported: the step is behind it.
  expect(stopOf(host.received.at(-1))).toMatchObject({ code: 0x80000004, pc: address + 2n });
  const caller = at(machine, 'nt!IofCallDriver') + 2n;
  await host.request(WRITE_BREAKPOINT, (p) => p.writeBigUInt64LE(caller, 0));
  goOn(false);
  expect(stopOf(host.received.at(-1))).toMatchObject({ code: 0x80000003, pc: caller });
});

test('a hardware breakpoint on memory stops behind the write and names itself in dr6', async () => {
  const { machine, host, goOn } = guest();
  host.breakIn();
  const special = Buffer.alloc(0x50);
  (
    await host.request(READ_CONTROL_SPACE, (p) => {
      p.writeUInt32LE(2, 0);
      p.writeUInt32LE(0x50, 8);
    })
  ).copy(special, 0, 56);
  special.writeBigUInt64LE(at(machine, 'mydriver!g_Counter'), 0x28);
  // Breakpoint 1: four bytes, writing.
  special.writeBigUInt64LE(0xd00404n, 0x48);
  await host.request(
    WRITE_CONTROL_SPACE,
    (p) => {
      p.writeUInt32LE(2, 0);
      p.writeUInt32LE(special.length, 8);
    },
    special,
  );
  goOn(false);
  execute(machine, 'mydriver!MyDispatch');
  const report = host.received.at(-1);
  expect(stopOf(report)).toMatchObject({
    code: 0x80000004,
    pc: at(machine, 'mydriver!MyDispatch') + 2n,
  });
  expect(report?.content.readBigUInt64LE(0xc0)).toBe(0xffff0ff2n);
});

test('another processor reports where it stands itself, and the first one its stop again', async () => {
  const { machine, host } = guest();
  host.breakIn();
  void host.request(SWITCH_PROCESSOR, undefined, undefined, 1);
  host.forget();
  expect(stopOf(host.received.at(-1))).toMatchObject({
    processor: 1,
    code: 0x80000007,
    pc: at(machine, 'nt!KiIdleLoop') + 2n,
  });
  void host.request(SWITCH_PROCESSOR, undefined, undefined, 0);
  host.forget();
  expect(stopOf(host.received.at(-1))).toMatchObject({ processor: 0, code: 0x80000003 });
});

test('text arrives in pieces below 500 bytes that never cut a character', () => {
  const { machine, host } = guest();
  const text = `${'장치 '.repeat(200)}\n`;
  print(machine, text);
  const pieces = host.received.map((r) => r.content);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.every((p) => p.length < 500)).toBe(true);
  expect(pieces.map((p) => p.subarray(16).toString('utf8')).join('')).toBe(text);
  expect(pieces.some((p) => p.subarray(16).toString('utf8').includes('\ufffd'))).toBe(false);
});

test('modules that come and go are reported with their path while a debugger is there', () => {
  const { machine, host, goOn, setConnected } = guest();
  loadModule(machine, 'otherdrv');
  const load = host.received.at(-1)?.content ?? Buffer.alloc(0x100);
  expect(load.readUInt32LE(0)).toBe(0x3031);
  expect(load.readBigUInt64LE(0x28)).toBe(at(machine, 'otherdrv'));
  expect(load.subarray(0xf0).toString()).toBe('\\SystemRoot\\System32\\drivers\\otherdrv.sys\0');
  expect(load[0x40]).toBe(0);
  goOn(false);
  unloadModule(machine, 'otherdrv');
  expect(host.received.at(-1)?.content[0x40]).toBe(1);
  goOn(false);
  setConnected(false);
  loadModule(machine, 'otherdrv');
  expect(machine.state).toBe('running');
});

test('a guest that goes down says so, serves last requests, and is gone then', async () => {
  const { machine, host, downs, read } = guest();
  host.breakIn();
  const base = at(machine, 'nt');
  reboot(machine);
  const goodbye = host.received.at(-1)?.content ?? Buffer.alloc(0x100);
  expect(goodbye.readUInt32LE(0)).toBe(0x3031);
  expect(goodbye.readBigUInt64LE(0x28)).toBe(0xffff_ffff_ffff_ffffn);
  expect(goodbye[0x40]).toBe(1);
  expect((await read(base, 2)).toString()).toBe('MZ');
  expect(downs()).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(downs()).toBe(1);
});

test('a stop that nobody heard waits for the next debugger; one that was heard is told again', async () => {
  const { machine, target, host, setConnected } = guest();
  setConnected(false);
  crash(machine, 0xd1, [1n, 2n, 3n, 4n]);
  expect(host.received).toEqual([]);
  setConnected(true);
  target.hostArrived();
  expect(host.received.map((r) => r.type)).toEqual([PACKET.stateChange]);
  host.askAgain();
  expect(host.received.map((r) => r.type)).toEqual([PACKET.stateChange, PACKET.stateChange]);
  host.reset();
  expect(host.received).toHaveLength(3);
});
