/** Requests about the registers of a processor and what belongs to it. */
import { pcrOf, prcbOf } from '../../machine/processor-block.ts';
import { threadOn } from '../../machine/threads.ts';
import type { Guest, RequestKind } from '../guest.ts';
import { DONE, FAILED } from '../request.ts';

/** What a control space address means on AMD64. */
const CONTROL_SPACE = { pcr: 0, prcb: 1, specialRegisters: 2, thread: 3 } as const;

function pointer(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function controlSpace(guest: Guest, address: number, processor: number): Buffer | undefined {
  const number = guest.machine.processors[processor] ? processor : 0;
  switch (address) {
    case CONTROL_SPACE.pcr:
      return pointer(pcrOf(number));
    case CONTROL_SPACE.prcb:
      return pointer(prcbOf(number));
    case CONTROL_SPACE.specialRegisters:
      return guest.special(number).read();
    case CONTROL_SPACE.thread:
      return pointer(threadOn(guest.machine.processes, number)?.address ?? 0n);
    default:
      return undefined;
  }
}

/** IA32_GS_BASE, which holds the KPCR in kernel mode. */
const GS_BASE = 0xc0000101;

export const REGISTERS: readonly RequestKind[] = [
  {
    api: 0x3132,
    name: 'get context',
    handle: (guest, { processor }) => ({ ok: true, extra: guest.context(processor).read() }),
  },
  {
    api: 0x3133,
    name: 'set context',
    handle(guest, { processor, extra }) {
      guest.context(processor).write(0, extra);
      return DONE;
    },
  },
  {
    api: 0x315f,
    name: 'get part of context',
    handle(guest, { processor, parameters }) {
      const from = parameters.readUInt32LE(0);
      const bytes = guest
        .context(processor)
        .read()
        .subarray(from, from + parameters.readUInt32LE(4));
      parameters.writeUInt32LE(bytes.length, 8);
      return { ok: true, extra: bytes };
    },
  },
  {
    api: 0x3160,
    name: 'set part of context',
    handle(guest, { processor, parameters, extra }) {
      const bytes = extra.subarray(0, parameters.readUInt32LE(4));
      guest.context(processor).write(parameters.readUInt32LE(0), bytes);
      parameters.writeUInt32LE(bytes.length, 8);
      return DONE;
    },
  },
  {
    api: 0x3137,
    name: 'read control space',
    handle(guest, { processor, parameters }) {
      const bytes = controlSpace(guest, parameters.readUInt32LE(0), processor);
      if (!bytes) return FAILED;
      const given = bytes.subarray(0, parameters.readUInt32LE(8));
      parameters.writeUInt32LE(given.length, 12);
      return { ok: true, extra: given };
    },
  },
  {
    api: 0x3138,
    name: 'write control space',
    handle(guest, { processor, parameters, extra }) {
      if (parameters.readUInt32LE(0) !== CONTROL_SPACE.specialRegisters) return FAILED;
      const bytes = extra.subarray(0, parameters.readUInt32LE(8));
      guest.special(processor).write(0, bytes);
      parameters.writeUInt32LE(bytes.length, 12);
      return DONE;
    },
  },
  {
    api: 0x3152,
    name: 'read model-specific register',
    handle(_guest, { processor, parameters }) {
      const value = parameters.readUInt32LE(0) === GS_BASE ? pcrOf(processor) : 0n;
      parameters.writeUInt32LE(Number(value & 0xffff_ffffn), 4);
      parameters.writeUInt32LE(Number(value >> 32n), 8);
      return DONE;
    },
  },
  { api: 0x3153, name: 'write model-specific register', handle: () => DONE },
];
