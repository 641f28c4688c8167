/** Requests that tell what the guest is, set breakpoints, and let it go on. */
import { DEBUGGER_LIST_OFFSET } from '../../machine/debugger-block.ts';
import { at } from '../../machine/halting.ts';
import type { RequestKind } from '../guest.ts';
import { DONE, FAILED } from '../request.ts';

const FREE_BUILD = 0xf;
const BUILD = 19041;
const PROTOCOL = 6;
const SECONDARY_VERSION = 2;
/** Data breakpoints, 64-bit pointers, HAL in the kernel; and that there are several processors (engine.md §4). */
const VERSION_FLAGS = 0x46;
const MULTIPROCESSOR = 0x1;
const AMD64 = 0x8664;
/** Numbers of packet types, state changes and requests that the target knows. */
const LIMITS = [12, 3, 0x31] as const;
const TRACE = 1;

export const CONTROL: readonly RequestKind[] = [
  {
    api: 0x3146,
    name: 'get version',
    handle({ machine }, { parameters }) {
      parameters.fill(0);
      parameters.writeUInt16LE(FREE_BUILD, 0);
      parameters.writeUInt16LE(BUILD, 2);
      parameters[4] = PROTOCOL;
      parameters[5] = SECONDARY_VERSION;
      parameters.writeUInt16LE(VERSION_FLAGS | (machine.processors.length > 1 ? MULTIPROCESSOR : 0), 6);
      parameters.writeUInt16LE(AMD64, 8);
      parameters.set(LIMITS, 10);
      parameters.writeBigUInt64LE(at(machine, 'nt'), 16);
      parameters.writeBigUInt64LE(at(machine, 'nt!PsLoadedModuleList'), 24);
      parameters.writeBigUInt64LE(at(machine, 'nt!KdDebuggerDataBlock') + DEBUGGER_LIST_OFFSET, 32);
      return DONE;
    },
  },
  {
    api: 0x3134,
    name: 'write breakpoint',
    handle({ breakpoints }, { parameters }) {
      const handle = breakpoints.write(parameters.readBigUInt64LE(0));
      parameters.writeUInt32LE(handle ?? 0, 8);
      return handle === undefined ? FAILED : DONE;
    },
  },
  {
    api: 0x3135,
    name: 'restore breakpoint',
    handle: ({ breakpoints }, { parameters }) =>
      breakpoints.restore(parameters.readUInt32LE(0)) ? DONE : FAILED,
  },
  {
    api: 0x3136,
    name: 'continue',
    handle(guest) {
      guest.goOn('run');
      return undefined;
    },
  },
  {
    api: 0x313c,
    name: 'continue 2',
    handle(guest, { parameters }) {
      guest.goOn(parameters.readUInt32LE(4) & TRACE ? 'step' : 'run');
      return undefined;
    },
  },
  {
    api: 0x3150,
    name: 'switch processor',
    handle(guest, { processor }) {
      guest.switchTo(processor);
      return undefined;
    },
  },
  // Breakpoints that the target would count by itself: the engine only clears them.
  { api: 0x3142, name: 'set internal breakpoint', handle: () => undefined },
  { api: 0x315a, name: 'clear all internal breakpoints', handle: () => undefined },
  {
    api: 0x3149,
    name: 'cause bugcheck',
    handle(guest) {
      guest.crash();
      return undefined;
    },
  },
  {
    api: 0x313b,
    name: 'reboot',
    handle(guest) {
      guest.reboot();
      return undefined;
    },
  },
];
