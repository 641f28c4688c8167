/** What the tests outside have in common: where VS Code comes from, and what is on this computer beside its windows. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { WINDOW } from '../browser.ts';
import { openVsCode, type VsCode, type VsCodeOptions } from '../code-server.ts';

export interface Stage extends VsCodeOptions {
  readonly browser: Browser;
}

let stage: Stage | undefined;

export function setStage(value: Stage): void {
  stage = value;
}

/** A VS Code for one test. */
export async function withVsCode(
  work: (vscode: VsCode, context: BrowserContext) => Promise<void>,
  options: Pick<VsCodeOptions, 'settings' | 'locale'> = {},
): Promise<void> {
  if (stage === undefined) throw new Error('run.ts sets the stage.');
  const vscode = await openVsCode({ ...stage, ...options });
  const context = await stage.browser.newContext(WINDOW);
  shown = context;
  try {
    await work(vscode, context);
  } catch (error) {
    await shoot(`failed-${Date.now()}`);
    console.log(vscode.logs());
    throw error;
  } finally {
    await context.close();
    await vscode.dispose();
  }
}

let shown: BrowserContext | undefined;

async function shoot(name: string): Promise<void> {
  for (const [index, page] of (shown?.pages() ?? []).entries())
    await page.screenshot({ path: join('screenshots', `${name}-${index}.png`) }).catch(() => {});
}

/** Ids and hosts of the sessions that are there. */
export function sessionsIn(home: string): readonly { readonly id: string; readonly hostPid: number }[] {
  return globSync(join(home, 'sessions/*.json')).map((path) => {
    const { id, hostPid } = JSON.parse(readFileSync(path, 'utf8'));
    return { id, hostPid };
  });
}

/** When the extension was last activated, by VS Code's own log. */
export function activatedAt({ folder }: VsCode): number {
  const times = globSync(join(folder, 'server/data/logs/**/remoteexthost.log')).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/^(\S+ \S+) .*_doActivateExtension kd-mcp\.kd-mcp/gm)].map(
      ([, at]) => Date.parse(at ?? ''),
    ),
  );
  return Math.max(...times);
}
