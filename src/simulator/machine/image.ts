/**
 * The bytes of a driver image as the guest's loader leaves it in memory: PE headers, sections, export directory,
 * a debug directory with an RSDS record, and a little code at each exported name.
 */
import { createHash } from 'node:crypto';
import type { ModuleDefinition } from './modules.ts';

const HEADER = 0x80;
const OPTIONAL = HEADER + 24;
const SECTIONS = OPTIONAL + 0xf0;
const INT3 = 0xcc;

/** Code at a symbol: two `nop`, `xor eax,eax`, `ret`. */
const FUNCTION = [0x90, 0x90, 0x33, 0xc0, 0xc3];
/** Code of the two break instructions of nt: `int 3`, `ret`. */
const BREAK = [INT3, 0xc3];

function sections(module: ModuleDefinition) {
  const rdata = module.codeEnd;
  const data = Math.floor(module.codeEnd / 0x1000) * 0x1000 + (module.size >= 0x100000 ? 0x10000 : 0x2000);
  return [
    { name: '.text', at: 0x1000, size: module.codeEnd - 0x1000, flags: 0x60000020 },
    { name: '.rdata', at: rdata, size: data - rdata, flags: 0x40000040 },
    { name: '.data', at: data, size: module.size - data, flags: 0xc0000040 },
  ] as const;
}

function writeHeaders(image: Buffer, module: ModuleDefinition): void {
  image.write('MZ', 0, 'latin1');
  image.writeUInt32LE(HEADER, 0x3c);
  image.write('PE\0\0', HEADER, 'latin1');
  image.writeUInt16LE(0x8664, HEADER + 4);
  const list = sections(module);
  image.writeUInt16LE(list.length, HEADER + 6);
  image.writeUInt32LE(module.timestamp, HEADER + 8);
  image.writeUInt16LE(0xf0, HEADER + 20);
  image.writeUInt16LE(0x22, HEADER + 22);
  image.writeUInt16LE(0x20b, OPTIONAL);
  image.writeUInt32LE(0x1000, OPTIONAL + 16);
  image.writeUInt32LE(0x1000, OPTIONAL + 20);
  image.writeBigUInt64LE(module.base, OPTIONAL + 24);
  image.writeUInt32LE(0x1000, OPTIONAL + 32);
  image.writeUInt32LE(0x200, OPTIONAL + 36);
  for (const at of [40, 44, 48]) image.writeUInt16LE(10, OPTIONAL + at);
  image.writeUInt32LE(module.size, OPTIONAL + 56);
  image.writeUInt32LE(0x400, OPTIONAL + 60);
  image.writeUInt32LE(module.checksum, OPTIONAL + 64);
  image.writeUInt16LE(1, OPTIONAL + 68);
  image.writeUInt32LE(16, OPTIONAL + 108);
  list.forEach((section, i) => {
    const at = SECTIONS + i * 40;
    image.write(section.name, at, 'latin1');
    for (const [offset, value] of [
      [8, section.size],
      [12, section.at],
      [16, section.size],
      [20, section.at],
      [36, section.flags],
    ] as const)
      image.writeUInt32LE(value, at + offset);
  });
}

/** Writes the export directory and returns the first free offset behind it. */
function writeExports(image: Buffer, module: ModuleDefinition): number {
  const names = Object.keys(module.symbols).sort();
  const start = sections(module)[1].at;
  const functions = start + 40;
  const pointers = functions + 4 * names.length;
  const ordinals = pointers + 4 * names.length;
  let free = ordinals + 2 * names.length;
  const put = (text: string) => {
    const at = free;
    image.write(`${text}\0`, at, 'latin1');
    free += text.length + 1;
    return at;
  };
  const own = put(module.internalName ?? module.file);
  names.forEach((name, i) => {
    image.writeUInt32LE(module.symbols[name] ?? 0, functions + 4 * i);
    image.writeUInt32LE(put(name), pointers + 4 * i);
    image.writeUInt16LE(i, ordinals + 2 * i);
  });
  for (const [offset, value] of [
    [4, module.timestamp],
    [12, own],
    [16, 1],
    [20, names.length],
    [24, names.length],
    [28, functions],
    [32, pointers],
    [36, ordinals],
  ] as const)
    image.writeUInt32LE(value, start + offset);
  image.writeUInt32LE(start, OPTIONAL + 112);
  image.writeUInt32LE(free - start, OPTIONAL + 116);
  return free;
}

/** Name of the symbol file that the image's debug record asks for. */
export function pdbName(module: ModuleDefinition): string {
  return (module.internalName ?? module.file).replace(/\.\w+$/, '.pdb');
}

/** GUID of the image's debug record, 16 bytes; made from the name, so that it stays the same. */
export function pdbGuid(module: ModuleDefinition): Buffer {
  return createHash('md5').update(module.file).digest();
}

function writeDebugDirectory(image: Buffer, module: ModuleDefinition, free: number): void {
  const directory = (free + 15) & ~15;
  const record = directory + 28;
  const name = pdbName(module);
  image.write('RSDS', record, 'latin1');
  pdbGuid(module).copy(image, record + 4);
  image.writeUInt32LE(1, record + 20);
  image.write(`${name}\0`, record + 24, 'latin1');
  image.writeUInt32LE(module.timestamp, directory + 4);
  image.writeUInt32LE(2, directory + 12);
  image.writeUInt32LE(25 + name.length, directory + 16);
  image.writeUInt32LE(record, directory + 20);
  image.writeUInt32LE(record, directory + 24);
  image.writeUInt32LE(directory, OPTIONAL + 112 + 48);
  image.writeUInt32LE(28, OPTIONAL + 116 + 48);
}

/** `int 2dh` asks the debugger for a service; the break instruction behind it is where a load is reported. */
const DEBUG_SERVICE = [0x90, 0x90, 0x90, 0xcd, 0x2d, INT3, 0xc3];

function codeOf(name: string): readonly number[] {
  if (name === 'DebugService2') return DEBUG_SERVICE;
  return name.startsWith('DbgBreakPoint') ? BREAK : FUNCTION;
}

/** The whole image, `module.size` bytes. */
export function imageOf(module: ModuleDefinition): Buffer {
  const image = Buffer.alloc(module.size);
  writeHeaders(image, module);
  writeDebugDirectory(image, module, writeExports(image, module));
  image.fill(INT3, 0x1000, module.codeEnd);
  for (const [name, rva] of Object.entries(module.symbols)) {
    if (rva >= module.codeEnd) continue;
    image.set(codeOf(name), rva);
  }
  return image;
}
