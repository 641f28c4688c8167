/**
 * `npm run pictures [-- LOOK …]`: what a person sees, as `screenshots/<what>-<look>.png`. Looks: light, dark, contrast,
 * korean; default: all. To be looked at; nothing is compared.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser, THEMES } from './browser.ts';
import { runInside } from './inside.ts';
import { bundleSuite, installedVsCode, packExtension, ROOT } from './package.ts';

const LOOKS: Readonly<Record<string, { readonly theme: string; readonly locale?: string }>> = {
  light: { theme: THEMES.light },
  dark: { theme: THEMES.dark },
  contrast: { theme: THEMES.contrast },
  korean: { theme: THEMES.light, locale: 'ko' },
};

const wanted = process.argv.slice(2);
const shots = join(ROOT, 'screenshots');
mkdirSync(shots, { recursive: true });
const cache = installedVsCode();
const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-pictures-'));
const browser = await launchBrowser();
let failed = 0;
try {
  const vsix = [await packExtension(folder)];
  const suite = await bundleSuite('pictures');
  for (const [look, { theme, ...language }] of Object.entries(LOOKS)) {
    if (wanted.length > 0 && !wanted.includes(look)) continue;
    console.log(`\n${look}`);
    const counts = await runInside({
      ...{ cache, vsix, browser, suite, ...language, only: '', blind: false },
      settings: { 'workbench.colorTheme': theme, 'window.title': 'driver' },
      picture: async (page, name) => {
        // The pointer of the last click shows something of its own.
        await page.mouse.move(640, 20);
        // Without the title: it says that an extension is developed.
        const clip = { x: 0, y: 30, width: 1280, height: 770 };
        await page.screenshot({ path: join(shots, `${name}-${look}.png`), clip });
      },
    });
    failed += counts.failed;
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\nThey are in ${shots}`);
process.exitCode = failed > 0 ? 1 : 0;
