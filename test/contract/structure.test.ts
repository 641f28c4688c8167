/** The direction of imports (ARCHITECTURE.md): a folder may use only what stands in its row, and packages where they belong. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const src = path.join(import.meta.dirname, '../../src');

/** Folder (or file at the top of src) → folders it may import from, besides itself. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  config: ['state-file'],
  'state-file': [],
  winrm: [],
  simulator: [],
  kd: ['config', 'state-file'],
  // What makes a line one line is kd's business; the policy asks.
  policy: ['kd', 'config'],
  host: ['kd', 'policy', 'config', 'state-file'],
  client: ['host', 'kd', 'config', 'state-file', 'winrm'],
  tools: ['client', 'host', 'kd', 'policy', 'config', 'state-file', 'winrm'],
  mcp: ['tools', 'client', 'host', 'kd', 'config'],
  ui: ['tools', 'client', 'host', 'kd', 'config', 'state-file', 'winrm'],
  cli: ['mcp', 'tools', 'client', 'host', 'kd', 'config', 'state-file', 'winrm', 'demo', 'simulator'],
  demo: ['mcp', 'tools', 'client', 'host', 'kd', 'config', 'state-file', 'winrm', 'simulator'],
};

/** May be imported from everywhere. */
const FREE = ['version.ts'];
/** Folder → folders of which it may name types: the names of the transports are settings too. */
const MAY_NAME: Readonly<Record<string, readonly string[]>> = { config: ['kd'] };

/** Package → folders (and files at the top of src) that may import it. */
const PACKAGE_HOME: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^@modelcontextprotocol\//, ['mcp']],
  [/^vscode$/, ['ui', 'extension.ts']],
  [/^zod/, ['config']],
  [/^yaml$/, ['config', 'demo']],
];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(path.join(src, file), 'utf8');
  const from = file.includes(path.sep) ? (file.split(path.sep)[0] ?? '') : file;
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;'"]*?\s?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map((match) => ({
    file,
    from,
    specifier: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }));
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap(importsOf);
const folderOf = (one: Import): string | undefined => {
  if (!one.specifier.startsWith('.')) return undefined;
  const target = path.relative(src, path.resolve(src, path.dirname(one.file), one.specifier));
  return target.includes(path.sep) ? target.split(path.sep)[0] : target;
};

describe('the structure', () => {
  it('is what the table says: every folder of src has its row', () => {
    const folders = new Set(
      files.filter((file) => file.includes(path.sep)).map((file) => file.split(path.sep)[0] ?? ''),
    );
    expect([...folders].filter((folder) => !(folder in MAY_USE))).toEqual([]);
    expect(imports.length).toBeGreaterThan(300);
  });

  it('lets imports point inward only', () => {
    const wrong = imports.filter((one) => {
      const target = folderOf(one);
      if (target === undefined || target === one.from || !(one.from in MAY_USE)) return false;
      if (FREE.includes(target) || (one.typeOnly && MAY_NAME[one.from]?.includes(target))) return false;
      return !MAY_USE[one.from]?.includes(target);
    });
    expect(wrong.map((one) => `${one.file} -> ${one.specifier}`)).toEqual([]);
  });

  it('keeps the modelled machine free of its faces', () => {
    const machine = imports.filter((one) => one.file.startsWith(path.join('simulator', 'machine')));
    const wrong = machine.filter((one) => !/^(\.\/|node:)/.test(one.specifier));
    expect(machine.length).toBeGreaterThan(20);
    expect(wrong.map((one) => `${one.file} -> ${one.specifier}`)).toEqual([]);
  });

  it('lets the session host load few packages: it lives for days', () => {
    const loaded = new Set<string>();
    const packages = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const one of imports.filter((each) => each.file === file && !each.typeOnly)) {
        if (one.specifier.startsWith('.'))
          load(path.relative(src, path.resolve(src, path.dirname(file), one.specifier)));
        else if (!one.specifier.startsWith('node:')) packages.add(one.specifier.split('/')[0] ?? '');
      }
    };
    load(path.join('host', 'main.ts'));
    expect(loaded.size).toBeGreaterThan(40);
    expect([...packages].sort()).toEqual(['iconv-lite', 'koffi', 'vscode-jsonrpc']);
  });

  it('keeps each package in its folder', () => {
    const wrong = imports.filter((one) => {
      const home = PACKAGE_HOME.find(([pattern]) => pattern.test(one.specifier))?.[1];
      return home !== undefined && !home.includes(one.from);
    });
    expect(wrong.map((one) => `${one.file} -> ${one.specifier}`)).toEqual([]);
  });

  it('lets the user interface take only types from the configuration, which loads zod', () => {
    const wrong = imports.filter((one) => one.from === 'ui' && folderOf(one) === 'config' && !one.typeOnly);
    expect(wrong.map((one) => `${one.file} -> ${one.specifier}`)).toEqual([]);
  });

  it('imports every file by its full name', () => {
    const wrong = imports.filter(
      (one) => one.specifier.startsWith('.') && !/\.(ts|json)$/.test(one.specifier),
    );
    expect(wrong.map((one) => `${one.file} -> ${one.specifier}`)).toEqual([]);
  });
});
