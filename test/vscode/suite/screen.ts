/** What is on the screen, as text. Each of these skips the test where nobody drives the page. */
import { type Page, page } from './page.ts';
import { skip } from './runner.ts';

export const stateItem = '#kd-mcp\\.kd-mcp\\.kdMcp\\.state';
export const toggleItem = '#kd-mcp\\.kd-mcp\\.kdMcp\\.toggle';
export const terminal = '.terminal-wrapper.active .xterm-screen';
const treeRows = '.pane:has([aria-label*="KD Sessions"]) .monaco-list-row';

/** The page, or the end of this test. */
export function thePage(): Page {
  return page ?? skip('nobody drives the page');
}

/** Blanks of the layout are one blank. */
const plain = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim();

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
