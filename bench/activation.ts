/**
 * `--activation`: how long VS Code waits for the extension to be activated, beside an extension that does nothing, both in the same
 * extension host: VS Code's own figures (loading the code, and the call of `activate`), as *Developer: Show Running
 * Extensions* shows them. In code-server's build; Debian only (test/vscode/install.sh).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pack } from '../packaging/vsix.ts';
import { launchBrowser } from '../test/vscode/browser.ts';
import { openVsCode } from '../test/vscode/code-server.ts';
import { Window } from '../test/vscode/outside/window.ts';
import { installedVsCode, packExtension } from '../test/vscode/package.ts';
import { eventually } from '../test/vscode/suite/runner.ts';
import { median } from './measure.ts';
import type { Row } from './table.ts';

const ROUNDS = 9;
/** All rows of the list must fit in: those outside are not in the page. */
const TALL = { viewport: { width: 1280, height: 3000 } };
const OURS = 'KD-MCP';
const EMPTY = 'Empty';

export async function measureActivation(): Promise<readonly Row[]> {
  const cache = installedVsCode();
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-activation-'));
  const empty = join(folder, 'empty.vsix');
  await pack(writeEmptyExtension(join(folder, 'empty')), empty);
  const browser = await launchBrowser();
  const vscode = await openVsCode({ cache, vsix: [await packExtension(folder), empty] });
  try {
    const context = await browser.newContext(TALL);
    const window = await Window.open(context, vscode.address(vscode.workspace));
    const taken = { ours: [] as number[], empty: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      await window.reload();
      await window.run('Developer: Show Running Extensions', 'Show Running Extensions');
      const ours = await activationOf(window.page, OURS);
      const none = await activationOf(window.page, EMPTY);
      // The first one fills the caches.
      if (round === 0) continue;
      taken.ours.push(ours);
      taken.empty.push(none);
    }
    const [ours, raw] = [median(taken.ours), median(taken.empty)];
    const over = ours - raw;
    return [
      {
        what: 'activation in VS Code',
        ours: `${ours.toFixed(0)} ms`,
        raw: `${raw.toFixed(0)} ms empty extension`,
        figure: `+${over.toFixed(0)} ms`,
        goal: { text: '≤ empty + 30 ms', met: over <= 30 },
      },
    ];
  } finally {
    await browser.close();
    await vscode.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeEmptyExtension(folder: string): string {
  mkdirSync(folder);
  const manifest = {
    name: 'empty',
    displayName: EMPTY,
    publisher: 'kd-mcp-bench',
    version: '1.0.0',
    engines: { vscode: '^1.101.0' },
    main: './extension.js',
    activationEvents: ['onStartupFinished'],
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'README.md'), '# Empty\n');
  writeFileSync(join(folder, 'extension.js'), 'exports.activate = () => {};\n');
  return folder;
}

/** `Activation: 12ms`, or `Startup Activation: …`. */
function activationOf(page: Page, name: string): Promise<number> {
  return eventually(`the activation of ${name}`, async () => {
    const row = page.locator('.runtime-extensions-editor .monaco-list-row').filter({
      has: page.locator('.name', { hasText: new RegExp(`^${name}\\b`) }),
    });
    const text = await row.locator('.activation-time').first().innerText({ timeout: 1000 });
    const ms = /(\d+)\s*ms/.exec(text)?.[1];
    return ms === undefined ? undefined : Number(ms) + 0.0001;
  });
}
