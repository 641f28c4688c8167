/** Requests that read and write the guest's memory. */
import type { RequestKind } from '../guest.ts';
import { DONE, FAILED } from '../request.ts';

/** Bytes of a reply beyond its fixed part; a request for more gets as many. */
const MOST = 1024;
const PAGE_BITS = 12n;
/** QueryMemory: kernel space; readable, writable, executable, not fixed. */
const KERNEL_SPACE = 2;
const ALL_RIGHTS = 7;

export const MEMORY: readonly RequestKind[] = [
  {
    api: 0x3130,
    name: 'read virtual memory',
    handle({ machine }, { parameters }) {
      const count = Math.min(parameters.readUInt32LE(8), MOST);
      const bytes = machine.memory.read(parameters.readBigUInt64LE(0), count);
      parameters.writeUInt32LE(bytes.length, 12);
      return bytes.length > 0 ? { ok: true, extra: bytes } : FAILED;
    },
  },
  {
    api: 0x3131,
    name: 'write virtual memory',
    handle({ machine }, { parameters, extra }) {
      const bytes = extra.subarray(0, parameters.readUInt32LE(8));
      const written = machine.memory.write(parameters.readBigUInt64LE(0), bytes);
      parameters.writeUInt32LE(written, 12);
      return written > 0 ? DONE : FAILED;
    },
  },
  {
    api: 0x313d,
    name: 'read physical memory',
    handle(_guest, { parameters }) {
      parameters.writeUInt32LE(0, 12);
      return FAILED;
    },
  },
  {
    api: 0x313e,
    name: 'write physical memory',
    handle(_guest, { parameters }) {
      parameters.writeUInt32LE(0, 12);
      return FAILED;
    },
  },
  {
    api: 0x3156,
    name: 'search memory',
    handle({ machine }, { parameters, extra }) {
      const from = parameters.readBigUInt64LE(0);
      const length = Number(parameters.readBigUInt64LE(8));
      const pattern = extra.subarray(0, parameters.readUInt32LE(16));
      const found = Buffer.from(machine.memory.read(from, length)).indexOf(pattern);
      if (found < 0) return FAILED;
      parameters.writeBigUInt64LE(from + BigInt(found), 0);
      return DONE;
    },
  },
  {
    api: 0x315b,
    name: 'fill memory',
    handle({ machine }, { parameters, extra }) {
      const length = parameters.readUInt32LE(8);
      const pattern = extra.subarray(0, parameters.readUInt16LE(14));
      if (pattern.length === 0) return FAILED;
      const written = machine.memory.write(parameters.readBigUInt64LE(0), Buffer.alloc(length, pattern));
      parameters.writeUInt32LE(written, 8);
      return written > 0 ? DONE : FAILED;
    },
  },
  {
    api: 0x315c,
    name: 'query memory',
    handle({ machine }, { parameters }) {
      const page = (parameters.readBigUInt64LE(0) >> PAGE_BITS) << PAGE_BITS;
      if (machine.memory.read(page, 1).length === 0) return FAILED;
      parameters.writeUInt32LE(KERNEL_SPACE, 16);
      parameters.writeUInt32LE(ALL_RIGHTS, 20);
      return DONE;
    },
  },
];
