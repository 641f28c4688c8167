/** One processor's registers. */

export const REGISTERS = [
  'rax',
  'rbx',
  'rcx',
  'rdx',
  'rsi',
  'rdi',
  'rip',
  'rsp',
  'rbp',
  'r8',
  'r9',
  'r10',
  'r11',
  'r12',
  'r13',
  'r14',
  'r15',
  'cs',
  'ss',
  'ds',
  'es',
  'fs',
  'gs',
  'efl',
  'cr0',
  'cr2',
  'cr3',
  'cr4',
  'cr8',
  'dr0',
  'dr1',
  'dr2',
  'dr3',
  'dr6',
  'dr7',
] as const;

export type RegisterName = (typeof REGISTERS)[number];
export type Processor = Record<RegisterName, bigint>;

const INITIAL: Partial<Processor> = {
  cs: 0x10n,
  ss: 0x18n,
  ds: 0x2bn,
  es: 0x2bn,
  fs: 0x53n,
  gs: 0x2bn,
  efl: 0x246n,
  cr0: 0x80050033n,
  cr3: 0x1ad000n,
  cr4: 0x370678n,
  dr6: 0xffff0ff0n,
  dr7: 0x400n,
};

export function createProcessor(): Processor {
  const zero = Object.fromEntries(REGISTERS.map((name) => [name, 0n])) as Processor;
  return { ...zero, ...INITIAL };
}

export function isRegister(name: string): name is RegisterName {
  return (REGISTERS as readonly string[]).includes(name);
}
