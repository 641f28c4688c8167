/** Lets the suite (in the extension host) act on the page as a person would: click, type, look, take a picture. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** One request = one action; the body is JSON, so is the answer. */
interface Action {
  readonly action: 'click' | 'context' | 'hover' | 'type' | 'press' | 'texts' | 'attribute' | 'picture';
  readonly selector?: string;
  readonly text?: string;
  readonly key?: string;
  readonly name?: string;
}

/** Whatever is not there after so long is not going to come, ms. */
const PATIENCE = 10_000;

async function act(
  page: Page,
  request: Action,
  picture: (name: string) => Promise<void>,
): Promise<string | null | readonly string[]> {
  const { action, selector = '', text = '', key = '', name = '' } = request;
  const target = page.locator(selector === '' ? 'body' : selector);
  switch (action) {
    case 'click':
      await target.first().click({ timeout: PATIENCE });
      return null;
    case 'context':
      await target.first().click({ button: 'right', timeout: PATIENCE });
      return null;
    case 'hover':
      await target.first().hover({ timeout: PATIENCE });
      return null;
    case 'type':
      await page.keyboard.type(text);
      return null;
    case 'press':
      await page.keyboard.press(key);
      return null;
    case 'texts':
      return await target.allInnerTexts();
    case 'attribute':
      return await target.first().getAttribute(name, { timeout: PATIENCE });
    case 'picture':
      await picture(name);
      return null;
  }
}

export interface Driver {
  readonly url: string;
  /** The page to act on. */
  attach(page: Page): void;
  close(): void;
}

/** Starts it on a free port. `picture` takes one. */
export async function startDriver(picture: (page: Page, name: string) => Promise<void>): Promise<Driver> {
  let page: Page | undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    try {
      const open = page;
      if (open === undefined) throw new Error('There is no page yet.');
      const answer = await act(open, JSON.parse(body), (name) => picture(open, name));
      response.end(JSON.stringify({ ok: true, answer }));
    } catch (error) {
      response.end(
        JSON.stringify({ ok: false, error: error instanceof Error ? error.message : String(error) }),
      );
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    attach: (value) => {
      page = value;
    },
    close: () => server.close(),
  };
}
