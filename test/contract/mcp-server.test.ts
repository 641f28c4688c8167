import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientIdentity } from '../../src/host/protocol.ts';
import { createMcpServer, type McpServer } from '../../src/mcp/server.ts';
import { tools } from '../../src/tools/index.ts';
import { FakeSession, FakeSessions } from './fake-sessions.ts';
import { DEFAULTS } from './tool-caller.ts';

let client: Client;
let server: McpServer;
let sessions: FakeSessions;
let identities: ClientIdentity[];
let sent: JSONRPCMessage[];
let configProblem: string | undefined;

beforeEach(async () => {
  sessions = new FakeSessions();
  identities = [];
  sent = [];
  configProblem = undefined;
  server = createMcpServer({
    version: '1.2.3',
    context: async (identity) => {
      identities.push(identity);
      return { sessions, config: DEFAULTS, ...(configProblem === undefined ? {} : { configProblem }) };
    },
  });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const send = theirs.send.bind(theirs);
  theirs.send = async (message, options) => {
    sent.push(message);
    await send(message, options);
  };
  client = new Client({ name: 'claude-code', version: '9' });
  await Promise.all([server.connect(theirs), client.connect(mine)]);
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const textOf = (result: unknown): string => JSON.stringify(result);

describe('the MCP server', () => {
  it('is called kd, has tools and nothing else, and instructs', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'kd', version: '1.2.3' });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getInstructions()).toContain('FROZEN');
  });

  it('lists the tools before anything else was made, and makes it once', async () => {
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name));
    expect(identities).toEqual([]);
    await Promise.all([
      client.callTool({ name: 'list_sessions' }),
      client.callTool({ name: 'list_sessions' }),
    ]);
    expect(identities).toEqual([{ kind: 'agent', name: 'claude-code' }]);
  });

  it('reads a configuration that was wrong again, until it is right', async () => {
    sessions.add(new FakeSession('net-50000', 'running'));
    configProblem = 'line 2: unknown key';
    const call = { name: 'break_in', arguments: {} };
    expect(textOf(await client.callTool(call))).toMatch(/line 2: unknown key.*Next: .*call again/);
    configProblem = 'line 3: unknown key';
    expect(textOf(await client.callTool(call))).toContain('line 3');
    configProblem = undefined;
    expect(textOf(await client.callTool(call))).toContain('broken');
    const made = identities.length;
    await client.callTool(call);
    expect(identities).toHaveLength(made);
  });

  it('answers with text only', async () => {
    const result = await client.callTool({ name: 'list_sessions', arguments: {} });
    expect(result).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('no session lives') }],
    });
  });

  it('answers every wrong call with a result, never with a protocol error', async () => {
    const calls: readonly Record<string, unknown>[] = [
      { name: 'nosuch' },
      {},
      { name: 5 },
      { name: 'kd_command' },
      { name: 'kd_command', arguments: 'r' },
      { name: 'kd_command', arguments: ['r'] },
      { name: 'kd_command', arguments: { command: { a: 1 } } },
      { name: 'kd_command', arguments: { command: '\u0000' } },
      { name: 'kd_command', arguments: { command: 'r', session_id: '../../etc/passwd' } },
    ];
    for (const params of calls) {
      // The client's own checks must not stand in the way.
      const result = await client.request({ method: 'tools/call', params } as never, ANYTHING);
      expect(result, JSON.stringify(params)).toMatchObject({ isError: true });
    }
  });

  it('refuses methods it does not have', async () => {
    await expect(client.request({ method: 'resources/list' } as never, ANYTHING)).rejects.toMatchObject({
      code: -32601,
    });
  });

  it('sends progress to who asked for it', async () => {
    const session = sessions.add(new FakeSession('net-50000', 'running'));
    const messages: string[] = [];
    const call = client.callTool({ name: 'wait_for_break', arguments: { timeout_sec: 45 } }, undefined, {
      onprogress: ({ message }) => messages.push(message ?? ''),
    });
    await expect.poll(() => messages.length).toBeGreaterThan(0);
    session.become('broken');
    expect(textOf(await call)).toContain('stopped');
    expect(messages[0]).toMatch(/^net-50000 · running/);
  });

  it('answers a call that was cancelled, and stops waiting', async () => {
    sessions.add(new FakeSession('net-50000', 'running'));
    const giveUp = new AbortController();
    const call = client.callTool({ name: 'wait_for_break', arguments: { timeout_sec: 45 } }, undefined, {
      signal: giveUp.signal,
    });
    await expect.poll(() => identities.length).toBe(1);
    giveUp.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => sent.some((message) => JSON.stringify(message).includes('cancelled'))).toBe(true);
  });

  it('answers what waits when its input ends', async () => {
    sessions.add(new FakeSession('net-50000', 'running'));
    const call = client.callTool({ name: 'wait_for_break', arguments: { timeout_sec: 45 } });
    await expect.poll(() => identities.length).toBe(1);
    await server.drain(0);
    expect(textOf(await call)).toContain('cancelled');
  });

  it('serves several calls at once', async () => {
    const session = sessions.add(new FakeSession('net-50000', 'running'));
    const wait = client.callTool({ name: 'wait_for_break', arguments: { timeout_sec: 45 } });
    const read = await client.callTool({ name: 'read_output', arguments: {} });
    expect(textOf(read)).toContain('running');
    await client.callTool({ name: 'break_in', arguments: {} });
    expect(textOf(await wait)).toContain('stopped');
    expect(session.sent).toEqual(['break']);
  });

  it('lets go of its sessions at the end and stops none', async () => {
    const session = sessions.add(new FakeSession('net-50000', 'running'));
    await client.callTool({ name: 'read_output', arguments: {} });
    await server.close();
    expect(sessions.disposed).toBe(true);
    expect(session.sent).toEqual([]);
  });
});

/** A result schema that takes everything as it is. */
const ANYTHING = {
  safeParse: (data: unknown) => ({ success: true, data }),
  parse: (data: unknown) => data,
} as never;
