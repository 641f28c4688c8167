/** A port of the guest that answers as WinRM does, only while the guest runs. */
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';

export interface WinRmPort {
  /** Opens or closes the port. */
  setReachable(reachable: boolean): void;
  dispose(): void;
}

/** Body and headers of a Windows guest without credentials. */
function answer(method: string | undefined): {
  readonly status: number;
  readonly headers: Record<string, string>;
} {
  if (method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
  return { status: 401, headers: { 'WWW-Authenticate': 'Negotiate' } };
}

export function createWinRmPort(host: string, port: number): WinRmPort {
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  function open(): void {
    const opened = createServer((request, response) => {
      request.resume();
      const { status, headers } = answer(request.method);
      response
        .writeHead(status, { ...headers, Server: 'Microsoft-HTTPAPI/2.0', 'Content-Length': '0' })
        .end();
    });
    opened.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    // The port may still be held by another guest; it stays closed then.
    opened.on('error', () => {});
    opened.listen(port, host);
    server = opened;
  }

  function close(): void {
    server?.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
  }

  return {
    setReachable(reachable) {
      if (reachable && !server) open();
      if (!reachable && server) close();
    },
    dispose: close,
  };
}
