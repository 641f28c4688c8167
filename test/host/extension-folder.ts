/** An installed extension whose package brings a Node, as on Windows, and windows that use it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import * as esbuild from 'esbuild';
import { carry } from '../../packaging/carried.ts';
import type { Program } from '../../src/client/program.ts';
import { CARRIED_NODE } from '../../src/host/runtime-folder.ts';

/** The build's own options; plain JavaScript, so without types. */
const { programs }: { programs: esbuild.BuildOptions } = await import(
  new URL('../../esbuild.config.mjs', import.meta.url).href
);

/** Builds the program into `dist`. `protocol`: as if it were of a version that speaks another one. */
export async function buildProgram(dist: string, protocol?: number): Promise<void> {
  const older: esbuild.Plugin = {
    name: 'protocol',
    setup: (build) => {
      build.onLoad({ filter: /host[\\/]protocol\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(/(export const PROTOCOL = )\d+/, `$1${protocol}`),
        loader: 'ts',
      }));
    },
  };
  await esbuild.build({ ...programs, outdir: dist, plugins: protocol === undefined ? [] : [older] });
}

/** Makes `dist` what a package for Windows has there; its Node is the one that runs now. */
export async function installExtension(dist: string, built: string, version: string): Promise<string> {
  cpSync(built, dist, { recursive: true });
  const { edition } = await carry(dist, version, { [CARRIED_NODE]: process.execPath });
  return edition;
}

/** An extension of three small files, for what is about copying only. */
export async function installTinyExtension(
  dist: string,
  version: string,
  node = 'not a program\n',
): Promise<string> {
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'cli.js'), `// ${version}\n`);
  writeFileSync(join(dist, 'some-node'), node);
  const { edition } = await carry(dist, version, { [CARRIED_NODE]: join(dist, 'some-node') });
  return edition;
}

export class Window {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  constructor(dist: string, home: string) {
    this.#child = spawn(process.execPath, [resolve('test/host/window.ts'), dist, home]);
    this.#child.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  program(): Promise<Program> {
    return this.#ask('program');
  }

  lasting(): Promise<Program> {
    return this.#ask('lasting');
  }

  async tidy(): Promise<void> {
    await this.#ask('tidy');
  }

  async #ask(request: string): Promise<Program> {
    const answer = once(this.#lines, 'line');
    this.#child.stdin.write(`${request}\n`);
    const [line]: string[] = await answer;
    const said: Program & { error?: string } = JSON.parse(line ?? '{}');
    if (said.error !== undefined) throw new Error(said.error);
    return said;
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.stdin.end();
    await gone;
  }
}
