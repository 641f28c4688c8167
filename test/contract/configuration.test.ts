/** What is copied into a client's configuration starts the server: parsed back, and run. */
import { execFile } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLIENTS,
  clientConfiguration,
  type McpClient,
  type ServerCommand,
} from '../../src/client/configuration.ts';
import { CLI } from '../host/rig.ts';

const clients = Object.keys(CLIENTS) as McpClient[];

/** The little of TOML that a server's table has; each value stands on its line in JSON's notation too. */
function parseToml(text: string): Record<string, Record<string, unknown>> {
  const tables: Record<string, Record<string, unknown>> = {};
  let table: Record<string, unknown> = {};
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const name = /^\[([\w.]+)\]$/.exec(line)?.[1];
    if (name !== undefined) {
      table = {};
      tables[name] = table;
      continue;
    }
    const [, key = '', value = ''] = /^(\w+) = (.*)$/s.exec(line) ?? [];
    table[key] = JSON.parse(value);
  }
  return tables;
}

/** As the client reads it. */
function parsed(client: McpClient, text: string): Partial<ServerCommand> {
  if (client === 'codex') {
    const tables = parseToml(text);
    const env = tables['mcp_servers.kd.env'];
    return { ...tables['mcp_servers.kd'], ...(env === undefined ? {} : { env }) } as Partial<ServerCommand>;
  }
  const content = JSON.parse(text);
  return content[client === 'vscode' ? 'servers' : 'mcpServers'].kd;
}

let folder: string;
let server: ServerCommand;
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'kdc-')), "R&D (1) %TEMP% it's");
  mkdirSync(folder, { recursive: true });
  const command = join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
  if (process.platform === 'win32') linkSync(process.execPath, command);
  else symlinkSync(process.execPath, command);
  const script = join(folder, 'kd mcp.mjs');
  writeFileSync(script, `import(${JSON.stringify(pathToFileURL(CLI).href)});\n`);
  server = {
    command,
    args: [script, 'serve', '--home', join(folder, 'home & more')],
    env: { KD_MCP_DENIED_PATTERNS: '[".crash","a\\\\b"]' },
  };
});
afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true, maxRetries: 5 }));

describe.each(clients)('the configuration for %s', (client) => {
  it('is read back as it was, and starts the server', async () => {
    const { command, args, env } = parsed(client, clientConfiguration(client, server));
    expect({ command, args, env }).toEqual(server);
    const agent = new Client({ name: 'configured', version: '1' });
    await agent.connect(
      new StdioClientTransport({
        command: command ?? '',
        args: [...(args ?? [])],
        env: { ...env },
        stderr: 'pipe',
      }),
    );
    expect((await agent.listTools()).tools.map((tool) => tool.name)).toContain('kd_command');
    expect(JSON.stringify(await agent.callTool({ name: 'health_check' }))).toContain('home & more');
    await agent.close();
  });

  it('runs the program itself, without a shell, a package runner or a working folder', () => {
    const text = clientConfiguration(client, server);
    expect(text).not.toMatch(/\bcmd\b|npx|cwd/);
  });

  it('keeps every path and value', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, fc.array(text), text, (command, args, value) => {
        const read = parsed(client, clientConfiguration(client, { command, args, env: { KD_MCP_X: value } }));
        expect(read).toMatchObject({ command, args, env: { KD_MCP_X: value } });
      }),
    );
  });
});

describe('kd-mcp config', () => {
  it('prints the block for this very program, and where it belongs', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      ...[CLI, 'config', 'codex', '--home', folder],
    ]);
    expect(parsed('codex', stdout)).toEqual({
      command: process.execPath,
      args: [CLI, 'serve', '--home', folder],
    });
    expect(stderr).toContain('~/.codex/config.toml');
  });

  it('names the clients when it does not know one', async () => {
    await expect(promisify(execFile)(process.execPath, [CLI, 'config', 'emacs'])).rejects.toThrow(
      /codex, claude-code, cursor, vscode/,
    );
  });
});
