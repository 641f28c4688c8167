/**
 * `kd-mcp serve`: the MCP server on stdin and stdout.
 *
 * stdout carries JSON-RPC and nothing else. The program ends when stdin ends (a killed Windows parent sends no signal, and
 * the SDK's transport does not end by itself: field-reports.md 19). Sessions are left alone.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer, type McpServerOptions } from './server.ts';

/** After stdin ended: so long short calls may take to end by themselves, and all of them to say their last word. */
const GRACE_MS = 500;
const DRAIN_MS = 2_000;

export async function serveStdio(options: Omit<McpServerOptions, 'log'>): Promise<void> {
  // A client that has closed stderr still gets its answers.
  process.stderr.on('error', () => undefined);
  const log = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  keepStdoutPure(log);
  const server = createMcpServer({ ...options, log });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdin.on('error', () => resolve());
    // Nobody reads any more: there is no one to answer to.
    process.stdout.on('error', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await Promise.race([
    server.drain(GRACE_MS).then(flushed),
    new Promise((resolve) => setTimeout(resolve, DRAIN_MS)),
  ]);
  await Promise.race([server.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
  process.exit(0);
}

/** Answers that a pipe has not taken yet would be lost by `process.exit`. */
async function flushed(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (process.stdout.writable)
    await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
}

/** Whatever a library prints goes to stderr (pitfalls.md 44). */
function keepStdoutPure(log: (text: string) => void): void {
  const toStderr = (...parts: unknown[]): void => log(parts.map(String).join(' '));
  console.log = toStderr;
  console.info = toStderr;
  console.debug = toStderr;
  process.on('warning', (warning) => log(`${warning.name}: ${warning.message}`));
}
