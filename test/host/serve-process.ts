/** `kd-mcp serve` as a client starts it, down to the bytes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { expect } from 'vitest';
import { CLI } from './rig.ts';

export class Serve {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  /** `args` come behind `kd-mcp serve`; `env` replaces the whole environment. */
  constructor(args: readonly string[], env?: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [CLI, 'serve', ...args], env ? { env } : {});
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
  }

  send(...messages: readonly unknown[]): this {
    for (const message of messages) {
      this.child.stdin.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`);
    }
    return this;
  }

  /** Everything on stdout, each line parsed. */
  lines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  }

  async answer(id: number): Promise<Record<string, unknown>> {
    await expect.poll(() => this.lines().some((line) => line.id === id), { timeout: 20_000 }).toBe(true);
    return this.lines().find((line) => line.id === id) ?? {};
  }
}

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

export const call = (id: number, name: string, args: unknown = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
