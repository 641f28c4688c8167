/** Runs a suite inside VS Code's extension host, with a page that it can act on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { WINDOW } from './browser.ts';
import { openVsCode, type VsCodeOptions } from './code-server.ts';
import { startDriver } from './driver.ts';
import { type Counts, NOTHING } from './suite/runner.ts';

export interface InsideOptions extends VsCodeOptions {
  readonly browser: Browser;
  /** The bundled suite. */
  readonly suite: string;
  /** Only tests whose name contains this. */
  readonly only: string;
  /** Nobody clicks or looks, as under @vscode/test-electron: tests that need that are skipped. */
  readonly blind: boolean;
  readonly picture: (page: Page, name: string) => Promise<void>;
}

/** Longer than a suite can take, ms. */
const LIMIT = 300_000;

/** A suite that gives no result is one failure. */
export async function runInside(options: InsideOptions): Promise<Counts> {
  const driver = await startDriver(options.picture);
  const folder = {
    KD_MCP_TEST_ONLY: options.only,
    ...(options.blind ? {} : { KD_MCP_TEST_DRIVER: driver.url }),
  };
  const vscode = await openVsCode({ ...options, environment: folder });
  const pageLog: string[] = [];
  const context = await options.browser.newContext(WINDOW);
  try {
    const page = await context.newPage();
    driver.attach(page);
    const result = new Promise<number | string>((settle) => {
      void page.exposeFunction('codeAutomationLog', (type: string, parts: readonly unknown[]) => {
        const line = parts.map(String).join(' ');
        // Lines of the suite are indented; the rest is VS Code's own log, of use when nothing else tells.
        if (/^\s/.test(line)) console.log(line);
        else pageLog.push(`${type}: ${line.slice(0, 1000)}`);
      });
      void page.exposeFunction('codeAutomationExit', (code: number) => settle(code));
      page.on('crash', () => settle('the page crashed'));
      void vscode.ended.then(() => settle('its server ended'));
      setTimeout(() => settle('too slow'), LIMIT).unref();
    });
    const remote = (path: string) => `vscode-remote://${new URL(vscode.address('')).host}${path}`;
    await page.goto(
      vscode.address(vscode.workspace, [
        ['extensionDevelopmentPath', remote(vscode.extension)],
        ['extensionTestsPath', remote(options.suite)],
      ]),
    );
    const code = await result;
    const report = join(vscode.folder, 'report.json');
    const counts: Counts = existsSync(report)
      ? JSON.parse(readFileSync(report, 'utf8'))
      : { ...NOTHING, failed: 1 };
    if (code !== 0 || counts.failed > 0) {
      await options.picture(page, 'failed').catch(() => {});
      if (typeof code === 'string')
        console.error(`VS Code gave no result: ${code}.\n${pageLog.slice(-40).join('\n')}`);
      console.error(vscode.logs());
    }
    return counts;
  } finally {
    await context.close().catch(() => {});
    await vscode.dispose();
    driver.close();
  }
}
