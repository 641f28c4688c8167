/** The page as a person sees it. Only there when run.mjs drives VS Code; elsewhere {@link page} is undefined. */

export interface Page {
  click(selector: string): Promise<void>;
  hover(selector: string): Promise<void>;
  type(text: string): Promise<void>;
  press(key: string): Promise<void>;
  texts(selector: string): Promise<readonly string[]>;
  attribute(selector: string, name: string): Promise<string | null>;
  /** Leaves `screenshots/<name>-<theme>.png` when pictures were asked for. */
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
