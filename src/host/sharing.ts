/**
 * A session's kd as a debugging server: who opened it for whom, and who is there (kd-behaviour.md §9, engine-facts.md).
 *
 * Who connects is announced by kd; who leaves is not. So the list is what `.clients` said last, and who came since.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { ClientIdentity, Sharing } from './protocol.ts';

/** A debugging server of this session's kd. */
export interface OpenServer {
  /** What `.endsrv` takes. */
  readonly number: number;
  /** What another debugger is given as `-remote`, with the password. */
  readonly remote: string;
  /** Without it. */
  readonly address: string;
  readonly by: ClientIdentity;
  readonly since: number;
}

/** A server that is about to be opened: what `.server` takes, and what it will be reached by. */
export interface ServerPlan {
  readonly transport: string;
  readonly remote: string;
  readonly address: string;
  readonly password: string;
  /** How kd lists it. */
  readonly listed: string;
}

/** The engine takes no longer password (engine-facts.md); with these letters it holds 71 bits. */
export const PASSWORD_LENGTH = 12;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A named pipe of this machine that nobody can guess, with a password. */
export function pipePlan(): ServerPlan {
  const pipe = `kd-mcp-${randomBytes(8).toString('hex')}`;
  const password = Array.from({ length: PASSWORD_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  // `.` is this machine without its network services.
  const address = `npipe:server=.,pipe=${pipe}`;
  return {
    transport: `npipe:pipe=${pipe},password=${password}`,
    remote: `${address},password=${password}`,
    address,
    password,
    listed: `npipe:Pipe=${pipe}`,
  };
}

/** A TCP port, which only a person asks for, with a password of their own: it is reached from the network. */
export function tcpPlan(port: number, password: string, machine: string): ServerPlan {
  const address = `tcp:server=${machine},port=${port}`;
  return {
    transport: `tcp:port=${port},password=${password}`,
    remote: `${address},password=${password}`,
    address,
    password,
    listed: `tcp:Port=${port}`,
  };
}

/** Is it reached over the network? */
export function tcpServer({ listed }: ServerPlan): boolean {
  return listed.startsWith('tcp:');
}

/** The number of a server in what `.server` printed; undefined when it was not opened. */
export function serverNumber(printed: string, { listed }: ServerPlan): number | undefined {
  const line = printed.split('\n').find((each) => /^\d+: /.test(each) && each.includes(` ${listed},`));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}

/** The users in what `.clients` printed, kd itself left out. */
export function usersIn(printed: string): readonly string[] {
  return printed
    .split('\n')
    .map((line) => /^(.+), last active /.exec(line)?.[1])
    .filter((user) => user !== undefined && user !== 'HostMachine\\HostUser') as string[];
}

export class SharedServer {
  #server: OpenServer | undefined;
  #attached: readonly { readonly name: string; readonly since: number }[] = [];

  get server(): OpenServer | undefined {
    return this.#server;
  }

  get attached(): readonly string[] {
    return this.#attached.map(({ name }) => name);
  }

  opened(server: OpenServer): void {
    this.#server = server;
  }

  /** Nobody new can come; those who are there stay (kd-behaviour.md §9.3). */
  closed(): void {
    this.#server = undefined;
  }

  came(name: string, now: number): void {
    this.#attached = [...this.#attached, { name, since: now }];
  }

  /** `.clients` was printed. */
  listed(names: readonly string[], now: number): void {
    const left = [...this.#attached];
    this.#attached = names.map((name) => {
      const known = left.findIndex((each) => each.name === name);
      return known < 0 ? { name, since: now } : (left.splice(known, 1)[0] ?? { name, since: now });
    });
  }

  /** What clients of the session may know; undefined when nothing is shared. */
  get shown(): Sharing | undefined {
    if (this.#server === undefined && this.#attached.length === 0) return undefined;
    return {
      ...(this.#server === undefined
        ? {}
        : { server: { address: this.#server.address, by: this.#server.by, since: this.#server.since } }),
      attached: this.#attached,
    };
  }
}
