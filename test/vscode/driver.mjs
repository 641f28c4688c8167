// Lets the suite (in the extension host) act on the page as a person would: click, type, look, take a picture.
import { createServer } from 'node:http';
import { join } from 'node:path';

/** One request = one action; the body is JSON, so is the answer. */
async function act(page, request, picture) {
  const { action, selector, text, key, name, timeout = 10_000 } = request;
  switch (action) {
    case 'click':
      await page.locator(selector).first().click({ timeout });
      return null;
    case 'hover':
      await page.locator(selector).first().hover({ timeout });
      return null;
    case 'type':
      await page.keyboard.type(text);
      return null;
    case 'press':
      await page.keyboard.press(key);
      return null;
    case 'texts':
      return await page.locator(selector).allInnerTexts();
    case 'attribute':
      return await page.locator(selector).first().getAttribute(name, { timeout });
    case 'picture':
      return await picture(page, name);
    default:
      throw new Error(`Unknown action ${action}`);
  }
}

/** Starts it on a free port. `attach` names the page to act on. */
export async function startDriver(folder, theme, shots) {
  let page;
  const picture = async (target, name) => {
    if (!shots) return null;
    const path = join(folder, `${name}-${theme}.png`);
    await target.screenshot({ path });
    return path;
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    try {
      const answer = await act(page, JSON.parse(body), picture);
      response.end(JSON.stringify({ ok: true, answer }));
    } catch (error) {
      response.end(JSON.stringify({ ok: false, error: String(error.message ?? error) }));
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    attach: (value) => {
      page = value;
    },
    close: () => server.close(),
  };
}
