// Builds every program of the project into dist/. `--watch` rebuilds on change.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  sourcemap: false,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Native, and only ever loaded on Windows.
  external: ['vscode', 'koffi'],
};

/** The programs: ESM with shared chunks, so that each subcommand loads only what it needs. */
export const programs = {
  ...common,
  entryPoints: { cli: 'src/cli.ts', simulator: 'src/simulator/main.ts', backstage: 'src/backstage.ts' },
  outdir: 'dist',
  format: 'esm',
  splitting: true,
  target: 'node22',
  // CommonJS packages inside an ESM bundle call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

/** What other clients start when a package brings its own Node: one file that needs nothing beside it. */
export const lasting = {
  ...common,
  entryPoints: { 'kd-mcp': 'src/bin.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  target: 'node22',
  banner: programs.banner,
};

/** What the editor must notice: it caches the tool list under the server's version. */
async function toolsHash() {
  const { tools } = await import('./src/tools/index.ts');
  const { describeTool } = await import('./src/tools/schema.ts');
  return createHash('sha256')
    .update(JSON.stringify(tools.map(describeTool)))
    .digest('hex')
    .slice(0, 8);
}

/**
 * CommonJS, because every VS Code can load that. What needs the configuration (zod, yaml) is one of the programs above,
 * loaded on first use, so that activation stays fast.
 */
export const extension = {
  ...common,
  entryPoints: { extension: 'src/extension.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  target: 'node20',
  define: { KD_MCP_TOOLS_HASH: JSON.stringify(await toolsHash()), 'import.meta.url': '__moduleUrl' },
  banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  plugins: [
    {
      name: 'backstage-apart',
      setup(build) {
        build.onResolve({ filter: /\/backstage\.ts$/ }, ({ kind }) =>
          kind === 'dynamic-import' ? { path: './backstage.js', external: true } : undefined,
        );
      },
    },
  ],
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync('dist', { recursive: true, force: true });
  if (process.argv.includes('--watch')) {
    for (const options of [programs, extension]) await (await esbuild.context(options)).watch();
  } else {
    await Promise.all([esbuild.build(programs), esbuild.build(extension)]);
  }
}
