// Builds every program of the project into dist/. `--watch` rebuilds on change.
import { rmSync } from 'node:fs';
import * as esbuild from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  sourcemap: false,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Native, and only ever loaded on Windows.
  external: ['vscode', 'koffi'],
};

/** The programs: ESM with shared chunks, so that each subcommand loads only what it needs. */
const programs = {
  ...common,
  entryPoints: { cli: 'src/cli.ts', simulator: 'src/simulator/main.ts' },
  outdir: 'dist',
  format: 'esm',
  splitting: true,
  target: 'node22',
  // CommonJS packages inside an ESM bundle call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

const extension = {
  ...common,
  entryPoints: { extension: 'src/extension.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  target: 'node20',
};

rmSync('dist', { recursive: true, force: true });
if (process.argv.includes('--watch')) {
  for (const options of [programs, extension]) await (await esbuild.context(options)).watch();
} else {
  await Promise.all([esbuild.build(programs), esbuild.build(extension)]);
}
