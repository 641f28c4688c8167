/**
 * `npm run package [-- TARGET …]`: the vsix for each target, in this folder. Targets: `win32-x64`, `win32-arm64`, and
 * `universal` for every other system; default: all three.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pack, sizeWithoutNode, stage, VERSION } from './vsix.ts';
import { windowsParts } from './windows-parts.ts';

/** Of the archive without node.exe. */
const MAX_BYTES = 2 * 1024 * 1024;

const TARGETS = {
  universal: undefined,
  'win32-x64': 'x64',
  'win32-arm64': 'arm64',
} as const;

const wanted = process.argv.slice(2);
for (const target of wanted.length > 0 ? wanted : Object.keys(TARGETS)) {
  if (!isTarget(target)) throw new Error(`${target} is none of ${Object.keys(TARGETS).join(', ')}.`);
  await build(target);
}

function isTarget(name: string): name is keyof typeof TARGETS {
  return Object.hasOwn(TARGETS, name);
}

async function build(target: keyof typeof TARGETS): Promise<void> {
  const arch = TARGETS[target];
  const suffix = arch === undefined ? '' : `-${target}`;
  const vsix = resolve(`kd-mcp${suffix}-${VERSION}.vsix`);
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-package-'));
  try {
    await stage(folder, arch === undefined ? undefined : windowsParts(arch));
    const said = await pack(folder, vsix, arch === undefined ? undefined : target);
    if (/warning/i.test(said)) throw new Error(said);
    const bytes = sizeWithoutNode(vsix);
    if (bytes > MAX_BYTES) throw new Error(`${vsix} has ${bytes} bytes without node.exe`);
    process.stdout.write(`${vsix}: ${(bytes / 1e6).toFixed(2)} MB without node.exe\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
