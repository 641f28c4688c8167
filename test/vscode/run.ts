/**
 * Tests the extension in the real VS Code: code-server's build of it, its page in a headless Chromium.
 *
 *   node test/vscode/run.ts [--only TEXT] [--part inside|outside] [--blind] [--keep]
 *
 * inside: the suite runs in the extension host and acts on its page; outside: windows come and go, extension hosts die.
 * --only   runs the tests whose name contains TEXT
 * --blind  nobody clicks or looks, as under @vscode/test-electron: tests that need that are skipped
 * --keep   leaves the temporary folders and prints their names
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser } from './browser.ts';
import { runInside } from './inside.ts';
import { bundleSuite, installedVsCode, packExtension, ROOT } from './package.ts';
import { type Counts, NOTHING } from './suite/runner.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    part: { type: 'string' },
    blind: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

const started = Date.now();
const cache = installedVsCode();
const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-vsix-'));
const vsix = await packExtension(folder);
const shots = join(ROOT, 'screenshots');
mkdirSync(shots, { recursive: true });

const browser = await launchBrowser();
const counts: Counts[] = [];
try {
  const both = { cache, vsix: [vsix], keep: options.keep, browser, only: options.only };
  if (options.part !== 'outside')
    counts.push(
      await runInside({
        ...both,
        suite: await bundleSuite('index'),
        blind: options.blind,
        picture: async (page, name) => void (await page.screenshot({ path: join(shots, `${name}.png`) })),
      }),
    );
  if (options.part !== 'inside' && !options.blind) {
    const { runOutside } = await import('./outside/index.ts');
    counts.push(await runOutside(both));
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
const { passed, failed, skipped } = counts.reduce(
  (sum, one) => ({
    passed: sum.passed + one.passed,
    failed: sum.failed + one.failed,
    skipped: sum.skipped + one.skipped,
  }),
  NOTHING,
);
console.log(`\nReal VS Code: ${((Date.now() - started) / 1000).toFixed(0)} s`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
