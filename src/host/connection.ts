/** One client's connection: the token, then requests. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  type CancellationToken,
  createMessageConnection,
  type Message,
  type MessageConnection,
  NullLogger,
  type RequestHandler,
  type RequestType,
  ResponseError,
} from 'vscode-jsonrpc/node';
import type { Actor } from '../kd/model.ts';
import { runCommands } from './commands.ts';
import type { SessionCore } from './core.ts';
import type { Disposable } from './disposable.ts';
import { Follower } from './follower.ts';
import { createReader } from './message-reader.ts';
import { createWriter } from './message-writer.ts';
import * as messages from './messages.ts';
import type * as protocol from './protocol.ts';
import { refuse, requireAlive, requirePerson } from './refusals.ts';
import { breakIn, go, stop, waitForBreak } from './run-control.ts';
import { PatternError } from './search.ts';
import type { ClientLink } from './session-parts.ts';
import { setLevel } from './set-level.ts';
import { share, unshare } from './share.ts';
import { cleanIdentity, duration, level, optionalInteger, optionalLimits, stringList } from './validate.ts';

/** Before the token a client may say this much and no more. */
const MAX_HELLO_BYTES = 16 * 1024;
const HELLO_TIMEOUT_MS = 10_000;

export interface ServerIdentity {
  readonly token: string;
  /** {@link protocol.PROTOCOL}; tests have others. */
  readonly protocol: number;
}

export class ClientConnection implements ClientLink, Disposable {
  readonly since = Date.now();
  identity: protocol.ClientIdentity = { kind: 'agent', name: 'unknown' };
  readonly #core: SessionCore;
  readonly #server: ServerIdentity;
  readonly #socket: Socket;
  readonly #rpc: MessageConnection;
  readonly #onClosed: () => void;
  readonly #helloTimer: NodeJS.Timeout;
  #admitted = false;
  #clientProtocol = 0;
  #limits: protocol.Limits | undefined;
  #follower: Follower | undefined;
  #telling = false;
  #tellAgain = false;
  #disposed = false;
  #requests = 0;

  constructor(socket: Socket, core: SessionCore, server: ServerIdentity, onClosed: () => void) {
    this.#socket = socket;
    this.#core = core;
    this.#server = server;
    this.#onClosed = onClosed;
    this.#helloTimer = setTimeout(() => this.dispose(), HELLO_TIMEOUT_MS);
    socket.on('data', this.#limitHello);
    this.#rpc = createMessageConnection(createReader(socket), createWriter(socket), NullLogger, {
      // Nothing is answered before the token: not even that a message was wrong.
      messageStrategy: {
        handleMessage: (message, next) => (this.#admits(message) ? next(message) : undefined),
      },
      connectionStrategy: {
        cancelUndispatched: (message, next) => (this.#admitted ? next(message) : undefined),
      },
    });
    this.#rpc.onError(() => this.dispose());
    this.#rpc.onClose(() => this.dispose());
    socket.on('error', () => this.dispose());
    this.#serve();
    this.#rpc.listen();
  }

  readonly #limitHello = (): void => {
    if (this.#admitted) this.#socket.off('data', this.#limitHello);
    else if (this.#socket.bytesRead > MAX_HELLO_BYTES) this.dispose();
  };

  /** Lets everything pass once the right token came; ends the connection at anything else. */
  #admits(message: Message): boolean {
    if (this.#disposed) return false;
    if (this.#admitted) return true;
    const params = 'params' in message ? message.params : undefined;
    const token =
      'method' in message &&
      message.method === messages.hello.method &&
      typeof params === 'object' &&
      params !== null &&
      'token' in params
        ? params.token
        : undefined;
    if (typeof token === 'string' && sameSecret(token, this.#server.token)) {
      this.#admitted = true;
      clearTimeout(this.#helloTimer);
      return true;
    }
    this.dispose();
    return false;
  }

  #serve(): void {
    const core = this.#core;
    this.#rpc.onRequest(messages.hello, (params) => {
      this.identity = cleanIdentity(params.client);
      this.#clientProtocol = params.protocol;
      this.#limits = optionalLimits(params.limits);
      core.connect(this);
      return { protocol: this.#server.protocol, info: core.info() };
    });
    // These keep their shape for ever: any version may use them.
    this.#on(messages.state, () => core.info());
    this.#on(messages.read, (params) => this.#read(params));
    this.#on(messages.breakIn, (params) =>
      breakIn(core, this.identity, duration(params.timeoutMs, 'timeoutMs')),
    );
    this.#on(messages.go, (params, token) =>
      go(core, this.identity, duration(params.waitMs, 'waitMs'), token),
    );
    this.#on(messages.stop, (params) =>
      stop(core, this.identity, params.guest === 'leave_frozen' ? 'leave_frozen' : 'resume'),
    );
    this.#on(messages.command, (params, token) => {
      this.#requireSameProtocol();
      const checked = {
        ...params,
        lines: stringList(params.lines, 'lines'),
        timeoutMs: duration(params.timeoutMs, 'timeoutMs'),
        limits: this.#limits,
      };
      return runCommands(core, this.identity, checked, token);
    });
    this.#on(messages.waitForBreak, (params, token) => {
      this.#requireSameProtocol();
      const generation = optionalInteger(params.generation, 'generation');
      const timeoutMs = duration(params.timeoutMs, 'timeoutMs');
      return waitForBreak(core, generation === undefined ? { timeoutMs } : { timeoutMs, generation }, token);
    });
    this.#on(messages.pin, (params) => this.#pin(params.pinned === true));
    this.#on(messages.control, (params) => this.#control(params.take === true));
    this.#on(messages.level, (params) => setLevel(core, this.identity, level(params.level)));
    this.#on(messages.share, (params, token) => share(core, this.identity, params, token));
    this.#on(messages.unshare, (params, token) => unshare(core, this.identity, params, token));
    this.#on(messages.hasKey, ({ key }) => ({ same: core.facts.hasKey?.(String(key)) ?? true }));
    this.#on(messages.follow, (params) => {
      this.#requireSameProtocol();
      this.#follower?.dispose();
      const from = optionalInteger(params.from, 'from') ?? 0;
      this.#follower = new Follower(core.transcript, from, (piece) =>
        this.#rpc.sendNotification(messages.output, piece),
      );
      return { from: this.#follower.from };
    });
    this.#rpc.onNotification(messages.touch, () => core.keeper.dispatch({ kind: 'activity' }));
  }

  #on<P, R>(
    type: RequestType<P, R, void>,
    handle: (params: P, token: CancellationToken) => R | Promise<R>,
  ): void {
    const counted = async (params: P, token: CancellationToken): Promise<R> => {
      this.#requests++;
      try {
        return await handle(params, token);
      } catch (error) {
        throw this.#withoutSecrets(error);
      } finally {
        this.#requests--;
      }
    };
    // The library's result type is conditional; for a promise of R it is just that.
    this.#rpc.onRequest(type, counted as RequestHandler<P, R, void>);
  }

  /** What was refused may quote a line of the client, and the line a key. */
  #withoutSecrets(error: unknown): unknown {
    return error instanceof ResponseError
      ? new ResponseError(error.code, this.#core.redact(error.message))
      : new Error(this.#core.redact(error instanceof Error ? error.message : String(error)));
  }

  #requireSameProtocol(): void {
    if (this.#clientProtocol === this.#server.protocol) return;
    const [older, what] =
      this.#clientProtocol < this.#server.protocol
        ? ['This program is older than the session', 'Update it (reload the window, restart the MCP server)']
        : ['The session was started by an older version', 'Stop the session and start it again'];
    throw refuse(
      'wrongState',
      `${older} (protocol ${this.#clientProtocol}, session ${this.#server.protocol}): only state, read_output, break_in, continue_go and stop_kd work. ${what}.`,
    );
  }

  async #read(params: { from?: number; maxBytes: number; grep?: string }): Promise<protocol.ReadResult> {
    const { transcript } = this.#core;
    const from = optionalInteger(params.from, 'from') ?? 0;
    const maxBytes = optionalInteger(params.maxBytes, 'maxBytes') ?? 8_192;
    if (params.grep === undefined || params.grep === '') return transcript.read(from, maxBytes);
    try {
      return await transcript.search(from, maxBytes, String(params.grep));
    } catch (error) {
      throw error instanceof PatternError ? refuse('badArgument', error.message) : error;
    }
  }

  #pin(pinned: boolean): protocol.SessionInfo {
    const core = this.#core;
    requireAlive(core);
    requirePerson(this.identity, 'pin a halt');
    if (pinned && !core.halted)
      throw refuse('wrongState', 'The target is not halted: there is no halt to pin.');
    core.keeper.dispatch({ kind: 'pinned', by: pinned ? this.identity.name : undefined });
    core.recordChanged();
    core.tellChanged();
    return core.info();
  }

  #control(take: boolean): protocol.SessionInfo {
    const core = this.#core;
    requireAlive(core);
    requirePerson(this.identity, 'take or give control');
    core.keeper.dispatch({ kind: 'controlled', by: take ? this.identity.name : undefined });
    core.remark(
      take
        ? `${this.identity.name} took control: agents may only look.`
        : `${this.identity.name} gave control back.`,
      this.identity,
    );
    core.tellChanged();
    return core.info();
  }

  /** One state at a time: a client that does not read gets the newest one later. */
  changed(): void {
    if (this.#telling) {
      this.#tellAgain = true;
      return;
    }
    this.#telling = true;
    this.#rpc
      .sendNotification(messages.changed, this.#core.info())
      .catch(() => {})
      .finally(() => {
        this.#telling = false;
        if (!this.#tellAgain || this.#disposed) return;
        this.#tellAgain = false;
        this.changed();
      });
  }

  announce(text: string, by: Actor): void {
    this.#rpc.sendNotification(messages.announce, { text, by }).catch(() => {});
  }

  appended(from: number, to: number, text: string, role: protocol.OutputRole): void {
    this.#follower?.appended(from, to, text, role);
  }

  /** Ends the connection when the client has got every answer that is under way. */
  async end(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#requests > 0 && !this.#disposed);
    // Written in order: when this is out, everything before it is.
    await this.#rpc.sendNotification(messages.changed, this.#core.info()).catch(() => {});
    this.#socket.end();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    clearTimeout(this.#helloTimer);
    this.#follower?.dispose();
    this.#core.disconnect(this);
    this.#rpc.dispose();
    this.#socket.destroy();
    this.#onClosed();
  }
}

/** Compares without telling by its duration how much was right. */
function sameSecret(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
