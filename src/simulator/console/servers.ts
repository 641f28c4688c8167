/** The debugging servers of a kd, and the users that are connected to them (kd-behaviour.md §9, engine-facts.md). */
import { rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Output } from './output.ts';
import { addressOf, endpointOf, type FromClient, listen, type ServerAddress, say } from './server-wire.ts';
import { ctime } from './texts.ts';

/** Somebody at another debugger. */
export interface RemoteUser {
  /** `BOX\alice (npipe kdmcp-0123)`. */
  readonly name: string;
  readonly socket: Socket;
  lastActive: Date;
}

/** What servers need of the debugger they are part of. */
export interface ServersHost {
  /** The prompt, if kd is at it. */
  prompt(): string | undefined;
  /** A command line of a user; runs in its turn. */
  line(by: RemoteUser, line: string): void;
  break(): void;
}

interface OpenServer {
  readonly address: ServerAddress;
  readonly server: Server;
  /** Told to exit; goes with the next attempt to connect. */
  exiting: boolean;
}

/** How much of what was printed before a new user is shown. */
const HISTORY = 64 * 1024;

/** `q` of a user ends nothing (engine-facts.md). */
const CLIENT_QUIT =
  'Exit a remote ntsd/cdb client with Ctrl-b<enter>.\nExit a remote windbg client with File.Exit (Alt-F4).\n' +
  "If you really want the server to quit use an extra q, such as 'qq' or 'qqd'.\n";

export class Servers {
  readonly #output: Output;
  readonly #host: ServersHost;
  readonly #servers: (OpenServer | undefined)[] = [];
  readonly #users = new Set<RemoteUser>();
  #history = '';
  #lastActive = new Date();

  constructor(output: Output, host: ServersHost) {
    this.#output = output;
    this.#host = host;
    output.tap = (text) => this.#tell(text);
  }

  /** Opens a server; resolves with what kd prints. */
  async open(text: string): Promise<string> {
    const address = addressOf(text);
    if (!address) return unable(87, 'Invalid parameter.');
    const server = createServer((socket) => this.#connected(socket, opened));
    const opened: OpenServer = { address, server, exiting: false };
    if (!(await listenAt(server, address))) return unable(183, 'File already exists.');
    server.unref();
    this.#servers.push(opened);
    return `Server started.  Client can connect with any of these command lines\n${this.#lines()}`;
  }

  /** What `.servers` prints. */
  list(): string {
    const lines = this.#lines();
    return `On the client, use any of these command lines\n${lines === '' ? 'No active servers\n' : lines}`;
  }

  /** What `.endsrv` prints; the server takes nobody from now on. */
  end(number: number): string {
    const server = this.#servers[number];
    if (server === undefined) return 'No such server\n';
    server.exiting = true;
    return 'Server told to exit.  Actual exit may be delayed until\nthe next connection attempt.\n';
  }

  /** What `.clients` prints. */
  clients(): string {
    const others = [...this.#users].map(
      ({ name, lastActive }) => `${name}, last active ${ctime(lastActive)}\n`,
    );
    return `${others.join('')}HostMachine\\HostUser, last active ${ctime(this.#lastActive)}\n`;
  }

  /** A line is about to run, of a user or of this console: all others are shown it. */
  sent(line: string, by: RemoteUser | undefined, prompt: string): void {
    if (by === undefined) {
      this.#lastActive = new Date();
      this.#tell(`${prompt}${line}\n`);
      return;
    }
    by.lastActive = new Date();
    const text = `[${by.name}] ${prompt}${line}\n`;
    this.#output.printOwn(text);
    this.#tell(text, by);
  }

  /** kd is at its prompt: for one user, or for all of them. */
  prompted(prompt: string, only?: RemoteUser): void {
    this.#output.flush();
    for (const user of only === undefined ? this.#users : [only])
      say(user.socket, { kind: 'prompt', prompt });
  }

  /** The target runs: nobody is at a prompt. */
  ran(): void {
    for (const { socket } of this.#users) say(socket, { kind: 'prompt' });
  }

  dispose(): void {
    this.#output.flush();
    for (const open of this.#servers) if (open) close(open);
    for (const { socket } of this.#users) socket.end();
  }

  #tell(text: string, except?: RemoteUser): void {
    if (this.#servers.length === 0) return;
    this.#history = (this.#history + text).slice(-HISTORY);
    for (const user of this.#users) if (user !== except) say(user.socket, { kind: 'text', text });
  }

  #lines(): string {
    return this.#servers
      .map((open, index) => {
        if (open === undefined) return '';
        if (open.exiting) return `${index}: <Disabled, exit pending>,Server=${hostname()}\n`;
        const { kind, place, password } = open.address;
        const where = kind === 'tcp' ? `tcp:Port=${place}` : `npipe:Pipe=${place}`;
        // The engine does not show that a TCP server has a password.
        const secret = password === '' || kind === 'tcp' ? '' : ',Password=*';
        return `${index}: <debugger> -remote ${where}${secret},Server=${hostname()}\n`;
      })
      .join('');
  }

  #connected(socket: Socket, open: OpenServer): void {
    socket.on('error', () => {});
    if (open.exiting) {
      say(socket, { kind: 'refused' });
      socket.end();
      close(open);
      this.#servers[this.#servers.indexOf(open)] = undefined;
      return;
    }
    let user: RemoteUser | undefined;
    socket.on('close', () => {
      if (user) this.#users.delete(user);
    });
    listen<FromClient>(socket, (message) => {
      if (user === undefined) user = this.#admit(socket, open, message);
      else this.#take(user, message);
    });
  }

  #admit(socket: Socket, { address }: OpenServer, message: FromClient): RemoteUser | undefined {
    if (message.kind !== 'hello' || message.password !== address.password) {
      say(socket, { kind: 'refused' });
      socket.end();
      return undefined;
    }
    const where = address.kind === 'tcp' ? `tcp 127.0.0.1:${address.place}` : `npipe ${address.place}`;
    const user = { name: `${message.user} (${where})`, socket, lastActive: new Date() };
    say(socket, { kind: 'text', text: this.#history });
    this.#users.add(user);
    this.#output.print(`${user.name} connected at ${ctime(new Date())}\n`);
    const prompt = this.#host.prompt();
    if (prompt !== undefined) this.prompted(prompt, user);
    return user;
  }

  #take(user: RemoteUser, message: FromClient): void {
    user.lastActive = new Date();
    if (message.kind === 'break') this.#host.break();
    else if (message.kind !== 'line') return;
    else if (/^\s*qd?\s*$/i.test(message.text)) {
      say(user.socket, { kind: 'text', text: CLIENT_QUIT });
      const prompt = this.#host.prompt();
      if (prompt !== undefined) this.prompted(prompt, user);
    } else this.#host.line(user, message.text);
  }
}

function unable(error: number, words: string): string {
  return `Unable to start server, Win32 error 0n${error}\n    "${words}"\n`;
}

/** False when something else listens there. */
async function listenAt(server: Server, address: ServerAddress): Promise<boolean> {
  const endpoint = endpointOf(address);
  // A socket file outlives a simulator that was killed; a pipe does not.
  if ('path' in endpoint && process.platform !== 'win32' && !(await answers(endpoint.path)))
    rmSync(endpoint.path, { force: true });
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(endpoint, () => resolve(true));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function close({ server, address }: OpenServer): void {
  server.close();
  const endpoint = endpointOf(address);
  if ('path' in endpoint && process.platform !== 'win32') rmSync(endpoint.path, { force: true });
}
