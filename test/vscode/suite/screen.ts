/** What is on the screen, as text. Each of these skips the test where nobody drives the page. */
import * as vscode from 'vscode';
import { type Page, page } from './page.ts';
import { eventually, skip } from './runner.ts';

export const stateItem = '#kd-mcp\\.kd-mcp\\.kdMcp\\.state';
export const toggleItem = '#kd-mcp\\.kd-mcp\\.kdMcp\\.toggle';
export const terminal = '.terminal-wrapper.active .xterm-screen';
const treeRows = '.pane:has([aria-label*="KD Sessions"]) .monaco-list-row';

/** The page, or the end of this test. */
export function thePage(): Page {
  return page ?? skip('nobody drives the page');
}

/** With its test driver, VS Code shows no toasts: what a person would see as one is in the list. */
export const notifications = '.notifications-center .notification-list-item';

export async function notificationTexts(): Promise<readonly string[]> {
  await vscode.commands.executeCommand('notifications.showList');
  return (await thePage().texts(notifications)).map(plain);
}

export async function clearNotifications(): Promise<void> {
  await vscode.commands.executeCommand('notifications.clearAll');
  await vscode.commands.executeCommand('notifications.hideList');
}

/** A click on a button of the notification that has this text. */
export async function answerNotification(text: string, button: string): Promise<void> {
  await vscode.commands.executeCommand('notifications.showList');
  await thePage().click(`${notifications}:has-text("${text}") .monaco-button:has-text("${button}")`);
}

/** Blanks of the layout are one blank. */
const plain = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim();

/** Opens or closes a row of the view; a click that meets a row just being redrawn is repeated. */
export async function setRow(label: string, open: boolean): Promise<void> {
  const row = `${treeRows}:has-text("${label}")`;
  await eventually(`${label} ${open ? 'open' : 'closed'}`, async () => {
    if ((await thePage().attribute(row, 'aria-expanded')) === String(open)) return true;
    await thePage().click(row);
    return (await thePage().attribute(row, 'aria-expanded')) === String(open);
  });
}

/** The lines of the view, one below the other. */
export async function treeText(): Promise<string> {
  return (await thePage().texts(treeRows)).map(plain).join('\n');
}

export async function statusText(selector: string): Promise<string> {
  return plain((await thePage().texts(selector)).join(' '));
}

/** The visible lines of the active terminal. */
export async function terminalText(): Promise<string> {
  const lines = await thePage().texts('.terminal-wrapper.active .xterm-rows > div');
  return lines
    .map((line) => line.replaceAll('\u00a0', ' ').trimEnd())
    .join('\n')
    .trimEnd();
}

const rows = '.quick-input-widget:visible .quick-input-list .monaco-list-row';

/** The rows of the list that is open at the top of the window. */
export async function pickerRows(): Promise<readonly string[]> {
  return (await thePage().texts(rows)).map(plain);
}

export async function pick(text: string): Promise<void> {
  await eventually(text, async () => (await pickerRows()).some((row) => row.includes(text)));
  await thePage().click(`${rows}:has-text("${text}")`);
}

/** Does the palette offer a command with this title? */
export async function paletteOffers(title: string): Promise<boolean> {
  await vscode.commands.executeCommand('workbench.action.quickOpen', `>KD: ${title}`);
  // Other commands resemble it, or a row says that there is none.
  const found = await eventually('the palette', async () => pickerRows());
  await thePage().press('Escape');
  return found.some((row) => row.startsWith(`KD: ${title}`));
}
