/** nt!PsLoadedModuleList: the guest's own list of its modules, as a debugger walks it (engine.md §4). */
import { type Memory, writeNumber, writeUnicode } from './memory.ts';
import type { ModuleDefinition } from './modules.ts';

/** Where the entries lie: 0x400 bytes each. */
export const LOADER_POOL = 0xffffa801_11000000n;

/** Writes one entry per module and links them into the list at `head`. */
export function writeLoaderList(memory: Memory, head: bigint, modules: readonly ModuleDefinition[]): void {
  const nodes = [head, ...modules.map((_, i) => LOADER_POOL + BigInt(i) * 0x400n)];
  for (const [i, node] of nodes.entries()) {
    writeNumber(memory, node, 8, nodes[(i + 1) % nodes.length] ?? head);
    writeNumber(memory, node + 8n, 8, nodes[(i + nodes.length - 1) % nodes.length] ?? head);
  }
  for (const [i, module] of modules.entries()) writeEntry(memory, LOADER_POOL + BigInt(i) * 0x400n, module);
}

function writeEntry(memory: Memory, entry: bigint, module: ModuleDefinition): void {
  writeNumber(memory, entry + 0x30n, 8, module.base);
  writeNumber(memory, entry + 0x38n, 8, module.base + 0x1000n);
  writeNumber(memory, entry + 0x40n, 4, BigInt(module.size));
  writeName(memory, entry + 0x48n, entry + 0x200n, module.path);
  writeName(memory, entry + 0x58n, entry + 0x300n, module.file);
  writeNumber(memory, entry + 0x78n, 4, BigInt(module.checksum));
  writeNumber(memory, entry + 0x9cn, 4, BigInt(module.timestamp));
}

/** A UNICODE_STRING and its buffer. */
function writeName(memory: Memory, at: bigint, buffer: bigint, text: string): void {
  writeNumber(memory, at, 2, BigInt(text.length * 2));
  writeNumber(memory, at + 2n, 2, BigInt(text.length * 2 + 2));
  writeNumber(memory, at + 8n, 8, buffer);
  writeUnicode(memory, buffer, text);
}
