/** A window as a person has it in front of them: opened, looked at, clicked, reloaded, closed. */
import type { BrowserContext, Page } from 'playwright-core';
import { eventually } from '../suite/runner.ts';

const PANE = '.pane:has(.pane-header[aria-label^="KD "])';
const ROWS = `${PANE} .monaco-list-row`;
const NOTIFICATIONS = '.notifications-center .notification-list-item';

/** Blanks of the layout are one blank. */
const plain = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim();

export class Window {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens one and the view in it, which is called so. */
  static async open(context: BrowserContext, address: string, view = 'KD Sessions'): Promise<Window> {
    const window = new Window(await context.newPage());
    await window.page.goto(address);
    await window.ready();
    await window.run(`Focus on ${view} View`);
    await window.page.locator(`${PANE} .pane-header[aria-expanded="true"]`).waitFor();
    return window;
  }

  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: 60_000 });
  }

  /** A command of the palette, by its title. */
  async run(typed: string, title = typed): Promise<void> {
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    const row = rows.filter({ hasText: title }).first();
    await eventually(
      `${title} in the palette`,
      async () => {
        await this.page.keyboard.press('Escape');
        await this.page.keyboard.press('F1');
        await this.page.locator('.quick-input-widget input').fill(`>${typed}`, { timeout: 5000 });
        await row.click({ timeout: 3000 });
        return true;
      },
      40_000,
    );
  }

  /** The lines of the view, one below the other. */
  async tree(): Promise<string> {
    return (await this.page.locator(ROWS).allInnerTexts()).map(plain).join('\n');
  }

  /** What the view says when it is empty. */
  async welcome(): Promise<string> {
    return (await this.page.locator(`${PANE} .welcome-view-content`).allInnerTexts()).map(plain).join('\n');
  }

  async status(): Promise<string> {
    return (await this.page.locator('[id^="kd-mcp.kd-mcp.kdMcp"]').allInnerTexts()).map(plain).join(' ');
  }

  async terminal(): Promise<string> {
    const lines = await this.page.locator('.terminal-wrapper.active .xterm-rows > div').allInnerTexts();
    return lines
      .map((line) => line.replaceAll('\u00a0', ' ').trimEnd())
      .join('\n')
      .trimEnd();
  }

  async notifications(): Promise<readonly string[]> {
    await this.run('Notifications: Show Notifications', 'Show Notifications');
    return (await this.page.locator(NOTIFICATIONS).allInnerTexts()).map(plain);
  }

  /** The dialog in the middle of the window. */
  async question(): Promise<string> {
    const box = this.page.locator('.monaco-dialog-box');
    await box.waitFor();
    return plain((await box.allInnerTexts()).join(' '));
  }

  async answer(button: string): Promise<void> {
    await this.page.locator(`.monaco-dialog-box .monaco-button:has-text("${button}")`).click();
    await this.page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
