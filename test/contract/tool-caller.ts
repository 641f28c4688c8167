/** Calls tools as an MCP client would see them, on sessions of the test's own. */
import { defaultConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { type CallOptions, type CallResult, callTool } from '../../src/tools/call.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { FakeSessions } from './fake-sessions.ts';

/** All defaults, whatever is on the machine. */
export const DEFAULTS: Config = defaultConfig();

export class ToolCaller {
  readonly sessions = new FakeSessions();
  context: Omit<ToolContext, 'signal' | 'progress'> = { sessions: this.sessions, config: DEFAULTS };
  readonly progress: string[] = [];
  readonly logged: string[] = [];

  call(name: string, args: unknown = {}, more: Partial<CallOptions> = {}): Promise<CallResult> {
    return callTool(name, args, {
      context: async () => this.context,
      signal: new AbortController().signal,
      progress: (message) => this.progress.push(message),
      log: (text) => this.logged.push(text),
      ...more,
    });
  }

  /** The text of a call that must succeed. */
  async ok(name: string, args: unknown = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name} failed: ${text}`);
    return text;
  }

  /** The text of a call that must fail. */
  async error(name: string, args: unknown = {}): Promise<string> {
    const { text, isError } = await this.call(name, args);
    if (!isError) throw new Error(`${name} did not fail: ${text}`);
    return text;
  }
}
