// The suite on Microsoft's own engine: installs what it needs (install.sh), then runs test/engine/*.test.ts.
// Last line: `N passed, N failed`. Arguments go to vitest, e.g. a file name or `-t TEXT`.
// Where tools are missing that install.sh may not install, nothing is tested: a failure only if CI is set.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const MISSING = 75;
const here = import.meta.dirname;
const project = resolve(here, '../..');
const inCi = ['1', 'true'].includes(process.env.CI ?? '');

const started = performance.now();
const install = spawnSync('sh', [join(here, 'install.sh')], { stdio: ['ignore', 'pipe', 'inherit'] });
if (process.platform === 'win32' || install.error || install.status === MISSING) {
  console.log(
    'test:engine is skipped: this machine cannot run the engine (see above, or test/engine/install.sh)',
  );
  finish(0, inCi ? 1 : 0);
} else if (install.status !== 0) {
  console.log(`test/engine/install.sh failed (${install.status ?? install.signal})`);
  finish(0, 1);
} else {
  console.log(`installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  runSuite(install.stdout.toString().trim());
}

function runSuite(engine) {
  const folder = mkdtempSync(join(tmpdir(), 'kd-engine-report-'));
  const report = join(folder, 'report.json');
  const vitest = join(project, 'node_modules/vitest/vitest.mjs');
  const config = join(here, 'vitest.config.ts');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const { status } = spawnSync(
      process.execPath,
      [vitest, 'run', '--config', config, ...reporters, ...process.argv.slice(2)],
      { cwd: project, stdio: 'inherit', env: { ...process.env, KD_ENGINE: engine } },
    );
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    finish(numPassedTests, status === 0 ? numFailedTests : Math.max(1, numFailedTests));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
