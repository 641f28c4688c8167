/** The page as a person sees it. Only there when inside.ts drives VS Code; elsewhere {@link page} is undefined. */

export interface Page {
  click(selector: string): Promise<void>;
  /** With the right button. */
  context(selector: string): Promise<void>;
  hover(selector: string): Promise<void>;
  type(text: string): Promise<void>;
  press(key: string): Promise<void>;
  texts(selector: string): Promise<readonly string[]>;
  attribute(selector: string, name: string): Promise<string | null>;
  /** Leaves a picture of the window in `screenshots/`. */
  picture(name: string): Promise<void>;
}

function connect(url: string): Page {
  const act = async (request: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(request) });
    const reply = (await response.json()) as { ok: boolean; answer?: unknown; error?: string };
    if (!reply.ok) throw new Error(reply.error);
    return reply.answer;
  };
  return {
    click: async (selector) => void (await act({ action: 'click', selector })),
    context: async (selector) => void (await act({ action: 'context', selector })),
    hover: async (selector) => void (await act({ action: 'hover', selector })),
    type: async (text) => void (await act({ action: 'type', text })),
    press: async (key) => void (await act({ action: 'press', key })),
    texts: async (selector) => (await act({ action: 'texts', selector })) as readonly string[],
    attribute: async (selector, name) =>
      (await act({ action: 'attribute', selector, name })) as string | null,
    picture: async (name) => void (await act({ action: 'picture', name })),
  };
}

const url = process.env.KD_MCP_TEST_DRIVER;
export const page: Page | undefined = url === undefined ? undefined : connect(url);
