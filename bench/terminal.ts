/**
 * `--terminal`: does a typed key show as quickly while 50 MB run through the terminal as when nothing happens? Measured in
 * the page of the real VS Code, from the key's event to the character on the screen.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '../src/client/registry.ts';
import type { Session } from '../src/client/sessions.ts';
import { launchBrowser, WINDOW } from '../test/vscode/browser.ts';
import { openVsCode } from '../test/vscode/code-server.ts';
import { Window } from '../test/vscode/outside/window.ts';
import { installedVsCode, packExtension } from '../test/vscode/package.ts';
import { LONG_COMMAND } from './commands.ts';
import { median } from './measure.ts';
import { PROGRAM } from './stage.ts';
import type { Row } from './table.ts';

const FLOOD_BYTES = 50e6;
const KEYS = 30;
/** A person types about so fast, ms. */
const PAUSE = 120;
/** A frame of the screen: nothing can show sooner. */
const FRAME = 17;

export async function measureTerminal(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-bench-'));
  const vscode = await openVsCode({ cache: installedVsCode(), vsix: [await packExtension(folder)] });
  const browser = await launchBrowser();
  const identity = { kind: 'agent', name: 'bench' } as const;
  const sessions = createSessions({ home: vscode.home, identity, program: PROGRAM });
  try {
    const window = await Window.open(await browser.newContext(WINDOW), vscode.address(vscode.workspace));
    const { session } = await sessions.start({
      connection: { transport: 'simulator', scenario: 'big' },
      breakOnConnect: true,
    });
    await session.waitForBreak({ timeoutMs: 30_000, generation: 0 });
    await window.run('KD: Open Terminal', 'Open Terminal');
    await window.page.locator('.terminal-wrapper.active .xterm-rows:has-text("kd>")').waitFor();
    await window.page.locator('.terminal-wrapper.active .xterm-screen').click();
    const idle = await typeKeys(window, KEYS);
    const begun = session.info.transcriptEnd;
    const busy: number[] = [];
    while (busy.length < KEYS) {
      const flood = run50MB(session);
      // It is awaited below; until then its failure must not end the program, which has a server to stop.
      flood.catch(() => {});
      do busy.push(...(await typeKeys(window, 4)));
      while (await isPending(flood));
      await flood;
    }
    const bytes = session.info.transcriptEnd - begun;
    await session.stop('resume');
    const [quiet, loud] = [median(idle), median(busy)];
    const ratio = loud / Math.max(quiet, FRAME);
    return [
      {
        what: `a key's echo while ${(bytes / 1e6).toFixed(0)} MB stream (${busy.length} keys)`,
        ours: `${loud.toFixed(0)} ms, worst ${Math.max(...busy).toFixed(0)}`,
        raw: `${quiet.toFixed(0)} ms idle`,
        figure: `${ratio.toFixed(1)} ×`,
        goal: { text: '≤ 5 × idle', met: ratio <= 5 },
      },
    ];
  } finally {
    sessions.dispose();
    await browser.close();
    await vscode.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run50MB(session: Session): Promise<void> {
  const from = session.info.transcriptEnd;
  for (;;) {
    await session.command([LONG_COMMAND], { timeoutMs: 60_000 });
    const { transcriptEnd } = await session.refresh();
    if (transcriptEnd - from >= FLOOD_BYTES) return;
  }
}

async function isPending(work: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([work, Promise.resolve(pending)])) === pending;
}

/** Characters that kd's output does not have beside each other. */
const LETTERS = 'qz';
/** The edited line stays within one row. */
const LONGEST = 40;

/** Types so many characters, each once the one before is on the screen; how long each took to show, ms. */
async function typeKeys({ page }: Window, count: number): Promise<readonly number[]> {
  const taken: number[] = [];
  let typed = '';
  for (let i = 0; i < count; i++) {
    if (typed.length === LONGEST) {
      await page.keyboard.press('Control+U');
      typed = '';
    }
    const letter = LETTERS[typed.length % 2] ?? '';
    typed += letter;
    // The page must listen before the key comes.
    await page.evaluate(`globalThis.kdMcpEcho = (${ECHO})(${JSON.stringify(typed)}); undefined`);
    await page.keyboard.press(letter);
    const took = await page.evaluate<number>('globalThis.kdMcpEcho');
    // A single letter stands in the output, too.
    if (typed.length > 1) taken.push(took);
    await page.waitForTimeout(PAUSE);
  }
  await page.keyboard.press('Control+U');
  return taken;
}

/** Runs in the page: from the next key to the frame in which the terminal shows `text`. */
const ECHO = `(text) => new Promise((settle, fail) => {
  let pressed;
  addEventListener('keydown', () => { pressed = performance.now(); }, { capture: true, once: true });
  const shown = () => document.querySelector('.terminal-wrapper.active .xterm-rows').textContent;
  const look = () => {
    if (pressed !== undefined && shown().includes(text)) settle(performance.now() - pressed);
    else requestAnimationFrame(look);
  };
  look();
  setTimeout(() => fail(new Error('The key did not show: ' + shown().slice(-300))), 30000);
})`;
