/** The target's table of break instructions: a debugger knows them by their handles, 1 to 32 (engine.md §4). */
import { insertPatches, removePatch } from '../machine/halting.ts';
import type { Machine } from '../machine/machine.ts';

const HANDLES = 32;

export class BreakpointTable {
  readonly #machine: Machine;
  readonly #addresses = new Map<number, bigint>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Writes a break instruction; undefined where memory cannot be written or the table is full. */
  write(address: bigint): number | undefined {
    insertPatches(this.#machine, [address]);
    if (!this.#machine.patches.has(address)) return undefined;
    for (let handle = 1; handle <= HANDLES; handle++) {
      if (this.#addresses.has(handle)) continue;
      this.#addresses.set(handle, address);
      return handle;
    }
    return undefined;
  }

  /** Takes a break instruction out. The guest may have done so itself when it stopped. */
  restore(handle: number): boolean {
    const address = this.#addresses.get(handle);
    if (address === undefined) return false;
    this.#addresses.delete(handle);
    if (![...this.#addresses.values()].includes(address)) removePatch(this.#machine, address);
    return true;
  }

  clear(): void {
    this.#addresses.clear();
  }
}
