/** The whole product over the engine: state file → `serve` → session host → kd → KDNET → guest. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { SessionsOptions } from '../../src/client/registry.ts';
import type { Session, Sessions, StartOptions } from '../../src/client/sessions.ts';
import { connectMcp, type McpClient, type McpReply } from '../../src/mcp/client.ts';
import { STATE_SCHEMA } from '../../src/state-file/schema.ts';
import { AGENT, CLI, createRig } from '../host/rig.ts';
import { kdProgram } from './engine.ts';

/** What a state file says. */
export interface Connection {
  readonly port: number;
  readonly key: string;
  readonly guestHost?: string;
}

export interface ProductOptions {
  readonly host?: 'english' | 'korean';
  /** More of the configuration's section `kd`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** How {@link Product.sessions} starts sessions. */
  readonly clients?: Partial<SessionsOptions>;
}

export interface Product {
  readonly home: string;
  readonly stateFile: string;
  /** `serve` and its client, from the first call on. */
  readonly client: () => Promise<McpClient>;
  /** Calls a tool; the reply must be within its budget and without the key. */
  readonly call: (tool: string, args?: Readonly<Record<string, unknown>>) => Promise<McpReply>;
  /** The same, and the reply must not be an error. */
  readonly ok: (tool: string, args?: Readonly<Record<string, unknown>>) => Promise<string>;
  /** What `start_from_state` does, without the tools. */
  readonly start: () => Promise<Session>;
  readonly sessions: Sessions;
}

/** Starts `serve` for a state file; everything ends with the test. */
export async function startProduct(connection: Connection, options: ProductOptions = {}): Promise<Product> {
  const rig = await createRig();
  onTestFinished(() => rig.dispose());
  const { home } = rig;
  const stateFile = join(home, 'kd-session.json');
  const config = join(home, 'config.yaml');
  const kd = kdProgram(options.host);
  writeStateFile(stateFile, connection);
  writeFileSync(config, stringify({ kd: { kd_exe: kd, state_file: stateFile, ...options.config } }));
  const server = [process.execPath, CLI, 'serve', '--config', config, '--home', home] as const;
  let connecting: Promise<McpClient> | undefined;
  onTestFinished(async () => (await connecting)?.close());
  const client = (): Promise<McpClient> => {
    connecting ??= connectMcp({ name: AGENT.name, version: '1', server: [...server] });
    return connecting;
  };
  const call = async (tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<McpReply> => {
    const reply = await (await client()).call(tool, args);
    expect(Buffer.byteLength(JSON.stringify(reply.text))).toBeLessThanOrEqual(8192);
    expect(reply.text).not.toContain(connection.key);
    return reply;
  };
  const sessions = rig.sessions(AGENT, options.clients);
  const start = kdStart(connection, stateFile, kd);
  return {
    home,
    stateFile,
    client,
    call,
    ok: async (tool, args) => {
      const reply = await call(tool, args);
      expect(reply.isError, `${tool}: ${reply.text}`).toBe(false);
      return reply.text;
    },
    start: async () => (await sessions.start(start)).session,
    sessions,
  };
}

export function writeStateFile(path: string, { port, key, guestHost = '127.0.0.1' }: Connection): void {
  const addresses = { guest_host: guestHost, host_ip: '127.0.0.1' };
  writeFileSync(path, JSON.stringify({ schema: STATE_SCHEMA, ...addresses, port, key }));
}

function kdStart({ port, key }: Connection, stateFile: string, kd: string): StartOptions {
  return { connection: { transport: 'net', port, key }, stateFile, kd: [kd] };
}

/** The cursor that a reply names. */
export function cursorOf(reply: string): number {
  return Number(/cursor (\d+)/.exec(reply)?.[1] ?? 0);
}
