/** Where clients connect: a named pipe or Unix socket. */
import { createServer, type Server, type Socket } from 'node:net';
import { ClientConnection, type ServerIdentity } from './connection.ts';
import type { SessionCore } from './core.ts';
import type { Disposable } from './disposable.ts';

export class SessionServer implements Disposable {
  readonly #server: Server;
  readonly #connections = new Set<ClientConnection>();
  readonly #early: Socket[] = [];
  #accept: ((socket: Socket) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      if (this.#accept) this.#accept(socket);
      else this.#early.push(socket);
    });
  }

  /** Listens. Clients that connect before {@link serve} wait. */
  static listen(path: string): Promise<SessionServer> {
    return new Promise((resolve, reject) => {
      const server = createServer({ pauseOnConnect: false });
      const session = new SessionServer(server);
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        // A client that breaks off while it connects is no reason to end.
        server.on('error', () => {});
        resolve(session);
      });
    });
  }

  serve(core: SessionCore, identity: ServerIdentity): void {
    this.#accept = (socket) => {
      const connection = new ClientConnection(socket, core, identity, () =>
        this.#connections.delete(connection),
      );
      this.#connections.add(connection);
    };
    for (const socket of this.#early.splice(0)) this.#accept(socket);
  }

  /** Takes no new clients, tells the others everything that was said, and ends; by force after `ms`. */
  async close(ms: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections) void connection.end();
    const timer = setTimeout(() => this.dispose(), ms);
    await closed;
    clearTimeout(timer);
  }

  dispose(): void {
    for (const socket of this.#early.splice(0)) socket.destroy();
    for (const connection of [...this.#connections]) connection.dispose();
    this.#server.close();
  }
}
