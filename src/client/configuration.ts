/**
 * What to write into the configuration of an MCP client so that it starts `kd-mcp serve`.
 *
 * Always the program itself with absolute paths: `cmd` and `npx` read quotes, `&` and blanks in their own way, and some
 * clients ignore `cwd` or start servers with an empty environment (design.md §1).
 */

/** Client → where its configuration is, as a person would look for it. */
export const CLIENTS = {
  codex: { name: 'Codex', file: '~/.codex/config.toml' },
  'claude-code': { name: 'Claude Code', file: '.mcp.json' },
  cursor: { name: 'Cursor', file: '~/.cursor/mcp.json' },
  vscode: { name: 'VS Code', file: '.vscode/mcp.json' },
} as const;

export type McpClient = keyof typeof CLIENTS;

export function isMcpClient(name: string): name is McpClient {
  return Object.hasOwn(CLIENTS, name);
}

/** How the server is started. `command` and the script among `args` are absolute paths. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The name that clients put before the tools' names. */
const SERVER = 'kd';

/** A block in the client's own format, to be pasted into its file as it is. */
export function clientConfiguration(client: McpClient, server: ServerCommand): string {
  switch (client) {
    case 'codex':
      return toml(server);
    case 'claude-code':
    case 'vscode': {
      const entry = { type: 'stdio', ...entryOf(server) };
      return json({ [client === 'vscode' ? 'servers' : 'mcpServers']: { [SERVER]: entry } });
    }
    case 'cursor':
      return json({ mcpServers: { [SERVER]: entryOf(server) } });
  }
}

function entryOf({ command, args, env }: ServerCommand): object {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

function toml({ command, args, env }: ServerCommand): string {
  const lines = [
    `[mcp_servers.${SERVER}]`,
    `command = ${tomlText(command)}`,
    `args = [${args.map(tomlText).join(', ')}]`,
  ];
  const variables = Object.entries(env);
  if (variables.length > 0) {
    lines.push('', `[mcp_servers.${SERVER}.env]`);
    for (const [name, value] of variables) lines.push(`${name} = ${tomlText(value)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A TOML basic string: JSON's escapes are all TOML's too, but DEL must not stand there as it is. */
function tomlText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}
