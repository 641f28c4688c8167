import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createRpc } from '../../../src/client/rpc.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a connection that closes in the middle of a message leaves no timer that keeps the program alive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-rpc-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\kd-mcp-rpc-${process.pid}` : join(folder, 's');
  const server = createServer((host) => host.write('Content-Length: 20\r\n\r\n{"half"'));
  server.listen(path);
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });

  const socket = connect(path);
  const { connection, drained } = createRpc(socket);
  connection.listen();
  await once(socket, 'data');
  socket.destroy();
  await once(socket, 'close');
  await drained();
  connection.dispose();

  expect(vi.getTimerCount()).toBe(0);
  server.close();
  rmSync(folder, { recursive: true });
});
