/** The lines of the current instruction, as kd prints them at a stop, and the instructions it knows. */
import { nameOf } from '../machine/symbols.ts';
import { type Debugger, registers } from './debugger.ts';
import { tick } from './texts.ts';

export interface Instruction {
  readonly bytes: Uint8Array;
  readonly mnemonic: string;
  readonly operands: string;
}

const PATTERNS: readonly {
  readonly bytes: readonly number[];
  readonly mnemonic: string;
  readonly operands: string;
}[] = [
  { bytes: [0xcc], mnemonic: 'int', operands: '3' },
  { bytes: [0xc3], mnemonic: 'ret', operands: '' },
  { bytes: [0x90], mnemonic: 'nop', operands: '' },
  { bytes: [0x33, 0xc0], mnemonic: 'xor', operands: 'eax,eax' },
  { bytes: [0x31, 0xc0], mnemonic: 'xor', operands: 'eax,eax' },
  { bytes: [0x55], mnemonic: 'push', operands: 'rbp' },
  { bytes: [0x5d], mnemonic: 'pop', operands: 'rbp' },
  { bytes: [0x0f, 0x0b], mnemonic: 'ud2', operands: '' },
];

/** The instruction at an address; undefined where memory is not readable. Bytes it does not know are `db`. */
export function instructionAt(kd: Debugger, address: bigint): Instruction | undefined {
  const bytes = kd.machine.memory.read(address, 16);
  if (bytes.length === 0) return undefined;
  for (const pattern of PATTERNS) {
    if (pattern.bytes.every((b, i) => bytes[i] === b))
      return {
        bytes: bytes.subarray(0, pattern.bytes.length),
        mnemonic: pattern.mnemonic,
        operands: pattern.operands,
      };
  }
  const first = bytes[0] ?? 0;
  return {
    bytes: bytes.subarray(0, 1),
    mnemonic: 'db',
    operands: `${first.toString(16).toUpperCase().padStart(2, '0')}h`,
  };
}

/** One line of disassembly. */
export function instructionLine(kd: Debugger, address: bigint): string {
  const instruction = instructionAt(kd, address);
  if (!instruction) return `${tick(address)} ??              ???\n`;
  const hex = Buffer.from(instruction.bytes).toString('hex');
  const head = `${tick(address)} ${hex.padEnd(15)} ${instruction.mnemonic}`;
  return instruction.operands === '' ? `${head}\n` : `${head.padEnd(42)}${instruction.operands}\n`;
}

/** Symbol line and instruction line of the current instruction. */
export function locationLines(kd: Debugger): string {
  const { rip } = registers(kd);
  const name = kd.hiddenAtPrompt.has('sym') ? undefined : nameOf(kd.machine.modules, rip);
  const instruction = kd.hiddenAtPrompt.has('dis') ? '' : instructionLine(kd, rip);
  return `${name === undefined ? '' : `${name}:\n`}${instruction}`;
}
