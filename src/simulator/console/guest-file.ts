/**
 * The guest's state between kd processes (`--guest FILE`): what the guest does when nobody debugs it stays as the last
 * kd left it. Written whole at each change, so that it is right even after kd was killed.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { addModule, type Bugcheck, type Machine, resetMemory } from '../machine/machine.ts';

export interface GuestState {
  readonly version: 1;
  readonly state: 'running' | 'frozen' | 'off';
  /** Grows with each boot. */
  readonly boots: number;
  readonly bootedAt: number;
  /** Where the halted processor stands, 16 hexadecimal digits; null while it runs. */
  readonly rip: string | null;
  readonly processor: number;
  /** Why it is halted: `break`, `breakpoint`, `int3`, `step`, `load`, `bugcheck`; null while it runs. */
  readonly stop: string | null;
  readonly bugcheck: { readonly code: number; readonly parameters: readonly string[] } | null;
  /** Addresses of break instructions in its memory now. */
  readonly patched: readonly string[];
  readonly modules: readonly string[];
  /** Breaks that stopped it so far. */
  readonly interrupts: number;
  readonly owedBreaks: number;
  /** The kd that wrote this, and when (milliseconds since 1970). */
  readonly pid: number;
  readonly at: number;
}

const hex = (value: bigint) => value.toString(16).padStart(16, '0');

/** The state of a machine as the file holds it. */
export function stateOf(machine: Machine): GuestState {
  const halted = machine.state === 'halted';
  const rip = machine.processors[machine.current]?.rip ?? 0n;
  const { bugcheck } = machine;
  return {
    version: 1,
    state: halted ? 'frozen' : machine.state === 'off' ? 'off' : 'running',
    boots: machine.boots,
    bootedAt: machine.bootedAt,
    rip: halted ? hex(rip) : null,
    processor: machine.current,
    stop: halted ? (machine.stop?.kind ?? 'break') : null,
    bugcheck: bugcheck ? { code: bugcheck.code, parameters: bugcheck.parameters.map(hex) } : null,
    patched: [...machine.patches.keys()].map(hex),
    modules: machine.modules.map((m) => m.name),
    interrupts: machine.interrupts,
    owedBreaks: machine.owedBreaks,
    pid: process.pid,
    at: Date.now(),
  };
}

/** Writes the file whole: a reader never sees half of it. */
export function saveGuest(path: string, machine: Machine): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(stateOf(machine), undefined, 2)}\n`);
  renameSync(temporary, path);
}

/** Brings a fresh machine to the state of the file. A missing or damaged file leaves a running guest. */
export function loadGuest(path: string, machine: Machine): void {
  const saved = read(path);
  if (!saved) return;
  machine.boots = saved.boots;
  machine.bootedAt = saved.bootedAt;
  machine.interrupts = saved.interrupts;
  machine.owedBreaks = saved.owedBreaks;
  if (saved.state === 'off') {
    // It was restarting when kd went; it is up by now.
    machine.boots++;
    machine.bootedAt = Date.now();
  }
  resetMemory(machine);
  for (const name of saved.modules) {
    const module = machine.installed.find((m) => m.name === name);
    if (module && !machine.modules.includes(module)) addModule(machine, module);
  }
  if (saved.state !== 'frozen') return;
  const bugcheck: Bugcheck | undefined = saved.bugcheck
    ? { code: saved.bugcheck.code, parameters: saved.bugcheck.parameters.map((p) => BigInt(`0x${p}`)) }
    : undefined;
  machine.state = 'halted';
  machine.current = saved.processor;
  machine.bugcheck = bugcheck;
  machine.stop = bugcheck ? { kind: 'bugcheck', ...bugcheck } : { kind: 'break' };
  const processor = machine.processors[machine.current];
  if (processor && saved.rip !== null) processor.rip = BigInt(`0x${saved.rip}`);
}

function read(path: string): GuestState | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    // The file is the simulator's own; another version of it starts afresh.
    return isState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isState(value: unknown): value is GuestState {
  return typeof value === 'object' && value !== null && 'version' in value && value.version === 1;
}
