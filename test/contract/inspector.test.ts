import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const INSPECTOR = join(ROOT, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'kd-mcp-inspector-'));
});
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

/** The independent client, on the program as it is built or from source. */
async function inspect(...args: readonly string[]): Promise<Record<string, unknown>> {
  const server = [process.execPath, join(ROOT, 'src/cli.ts'), 'serve', '--home', home];
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...server, ...args], {
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

describe('the independent inspector', () => {
  it('lists the tools and finds no schema that is not portable', async () => {
    const listed = await inspect('--method', 'tools/list', '--strict');
    expect(listed.tools).toHaveLength(tools.length);
  });

  it('calls a tool', async () => {
    const result = await inspect('--method', 'tools/call', '--tool-name', 'list_sessions');
    expect(JSON.stringify(result)).toContain('no session lives');
  });
});
