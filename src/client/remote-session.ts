/** A connection to one session host, as a {@link Session}. */
import type { Socket } from 'node:net';
import { CancellationTokenSource, type MessageConnection, type RequestType } from 'vscode-jsonrpc/node';
import * as messages from '../host/messages.ts';
import * as protocol from '../host/protocol.ts';
import { HELLO_TIMEOUT_MS, openSocket, refusalOf } from './connect.ts';
import { NoAnswer } from './no-answer.ts';
import { type OutputListener, OutputStream } from './output-stream.ts';
import { createRpc } from './rpc.ts';
import { type Disposable, type Session, SessionError, type SessionRecordEnd } from './sessions.ts';

export class RemoteSession implements Session {
  readonly id: string;
  readonly #socket: Socket;
  readonly #rpc: MessageConnection;
  readonly #client: protocol.ClientIdentity;
  readonly #hostProtocol: number;
  readonly #output: OutputStream;
  readonly #changeListeners = new Set<(info: protocol.SessionInfo) => void>();
  readonly #closeListeners = new Set<() => void>();
  #info: protocol.SessionInfo;
  #connected = true;

  /** Connects and shows the token. @throws NoAnswer */
  static async connect(
    record: protocol.SessionRecord,
    client: protocol.ClientIdentity,
    limits?: protocol.Limits,
  ): Promise<RemoteSession> {
    const socket = await openSocket(record);
    const { connection: rpc, drained } = createRpc(socket);
    // The host may tell a change before its answer to the first request is seen here. Replaced by the session's own.
    const early: protocol.SessionInfo[] = [];
    rpc.onNotification(messages.changed, (info) => {
      early.push(info);
    });
    rpc.listen();
    const timer = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS);
    // The library leaves a request open when the other end goes away.
    const closed = new Promise<undefined>((resolve) => {
      socket.once('close', () => void drained().then(() => resolve(undefined)));
    });
    try {
      const asked = rpc.sendRequest(messages.hello, {
        token: record.token,
        protocol: protocol.PROTOCOL,
        client,
        ...(limits === undefined ? {} : { limits }),
      });
      const greeting = await Promise.race([asked.catch(() => undefined), closed]);
      if (greeting === undefined) {
        throw new NoAnswer(
          `Session ${record.id} does not answer (process ${record.hostPid} is there). Try again; if it stays so, end that process: kd ends with it, and "kd-mcp rescue" frees the guest.`,
        );
      }
      const info = early.at(-1) ?? greeting.info;
      return new RemoteSession(record.id, client, socket, rpc, drained, greeting.protocol, info);
    } catch (error) {
      rpc.dispose();
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(
    id: string,
    client: protocol.ClientIdentity,
    socket: Socket,
    rpc: MessageConnection,
    drained: () => Promise<void>,
    hostProtocol: number,
    info: protocol.SessionInfo,
  ) {
    this.id = id;
    this.#client = client;
    this.#socket = socket;
    this.#rpc = rpc;
    this.#hostProtocol = hostProtocol;
    this.#info = info;
    this.#output = new OutputStream((from) =>
      this.#send(messages.follow, { from }).then((answer) => answer.from),
    );
    rpc.onNotification(messages.changed, (changed) => {
      this.#update(changed);
    });
    rpc.onNotification(messages.output, (piece) => this.#output.receive(piece));
    rpc.onError(() => this.#socket.destroy());
    const close = (): void => void drained().then(() => this.#closed());
    if (socket.closed) close();
    else socket.once('close', close);
  }

  get info(): protocol.SessionInfo {
    return this.#info;
  }

  get connected(): boolean {
    return this.#connected;
  }

  async refresh(): Promise<protocol.SessionInfo> {
    return this.#update(await this.#send(messages.state, {}));
  }

  async command(
    lines: readonly string[],
    options: { timeoutMs: number; answer?: boolean; ifRunning?: 'refuse' | 'break_and_resume' },
  ): Promise<{ results: readonly protocol.CommandResult[]; info: protocol.SessionInfo }> {
    this.#requireSameProtocol();
    if (this.#client.kind === 'agent') this.#requireJudge();
    return this.#withInfo(await this.#send(messages.command, { lines, ...options }));
  }

  async breakIn(timeoutMs: number): Promise<protocol.RunControlResult> {
    return this.#withInfo(await this.#send(messages.breakIn, { timeoutMs }));
  }

  async go(waitMs: number): Promise<protocol.RunControlResult> {
    return this.#withInfo(await this.#send(messages.go, { waitMs }));
  }

  async waitForBreak(options: {
    timeoutMs: number;
    generation?: number;
    signal?: AbortSignal;
  }): Promise<protocol.RunControlResult> {
    this.#requireSameProtocol();
    const { signal, ...params } = options;
    return this.#withInfo(await this.#send(messages.waitForBreak, params, signal));
  }

  read(options: { from?: number; maxBytes: number; grep?: string }): Promise<protocol.ReadResult> {
    return this.#send(messages.read, options);
  }

  async stop(
    guest: 'resume' | 'leave_frozen',
  ): Promise<{ guest: SessionRecordEnd; detail: string; info: protocol.SessionInfo }> {
    return this.#withInfo(await this.#send(messages.stop, { guest }));
  }

  async pin(pinned: boolean): Promise<protocol.SessionInfo> {
    this.#requireSameProtocol();
    return this.#update(await this.#send(messages.pin, { pinned }));
  }

  async control(take: boolean): Promise<protocol.SessionInfo> {
    this.#requireSameProtocol();
    return this.#update(await this.#send(messages.control, { take }));
  }

  async share(params: protocol.ShareParams): Promise<protocol.Shared> {
    this.#requireSameProtocol();
    return this.#withInfo(await this.#send(messages.share, params));
  }

  async unshare(params: Pick<protocol.ShareParams, 'breakAndResume'>): Promise<protocol.SessionInfo> {
    this.#requireSameProtocol();
    return this.#update(await this.#send(messages.unshare, params));
  }

  /** Was it started with this KDNET key? Undefined when it cannot tell. */
  async hasKey(key: string): Promise<boolean | undefined> {
    return this.#send(messages.hasKey, { key }).then(
      ({ same }) => same,
      () => undefined,
    );
  }

  async setLevel(level: protocol.Level): Promise<protocol.SessionInfo> {
    this.#requireJudge();
    return this.#update(await this.#send(messages.level, { level }));
  }

  touch(): void {
    if (this.#connected) this.#rpc.sendNotification(messages.touch, {}).catch(() => {});
  }

  follow(from: number, onOutput: OutputListener): Promise<Disposable> {
    this.#requireSameProtocol();
    return this.#output.follow(from < 0 ? Math.max(0, this.#info.transcriptEnd + from) : from, onOutput);
  }

  onChange(listener: (info: protocol.SessionInfo) => void): Disposable {
    this.#changeListeners.add(listener);
    return { dispose: () => this.#changeListeners.delete(listener) };
  }

  onClose(listener: () => void): Disposable {
    this.#closeListeners.add(listener);
    return { dispose: () => this.#closeListeners.delete(listener) };
  }

  /** Any version may ask for state, read, break, go and stop; the rest has to be the same on both sides. */
  #requireSameProtocol(): void {
    if (this.#hostProtocol === protocol.PROTOCOL) return;
    throw new SessionError(
      this.#hostProtocol < protocol.PROTOCOL
        ? `Session ${this.id} was started by an older version of KD-MCP (protocol ${this.#hostProtocol}, here ${protocol.PROTOCOL}): only its state, read_output, break_in, continue_go and stop_kd work. Stop it and start it again.`
        : `Session ${this.id} was started by a newer version of KD-MCP (protocol ${this.#hostProtocol}, here ${protocol.PROTOCOL}): only its state, read_output, break_in, continue_go and stop_kd work. Update this program: reload the window or restart the MCP server.`,
    );
  }

  /** A host that does not judge would let an agent do everything. */
  #requireJudge(): void {
    if (this.#info.level !== undefined) return;
    throw new SessionError(
      `Session ${this.id} was started by an older version of KD-MCP that knows no levels for agents: only its state, read_output, break_in, continue_go and stop_kd work. Stop it and start it again.`,
    );
  }

  async #send<P, R>(type: RequestType<P, R, void>, params: P, signal?: AbortSignal): Promise<R> {
    if (!this.#connected) throw this.#gone();
    const cancellation = new CancellationTokenSource();
    const cancel = (): void => cancellation.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    try {
      return await this.#rpc.sendRequest<R>(type.method, params, cancellation.token);
    } catch (error) {
      throw refusalOf(error) ?? this.#gone();
    } finally {
      signal?.removeEventListener('abort', cancel);
      cancellation.dispose();
    }
  }

  #gone(): SessionError {
    return new SessionError(
      `The connection to session ${this.id} is closed: its host has ended. list_sessions says how, read_output(session_id="${this.id}") still shows its output.`,
    );
  }

  #withInfo<T extends { readonly info: protocol.SessionInfo }>(answer: T): T {
    this.#update(answer.info);
    return answer;
  }

  #update(info: protocol.SessionInfo): protocol.SessionInfo {
    this.#info = info;
    for (const listener of [...this.#changeListeners]) listener(info);
    return info;
  }

  #closed(): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#rpc.dispose();
    this.#socket.destroy();
    for (const listener of [...this.#closeListeners]) listener();
  }

  dispose(): void {
    this.#changeListeners.clear();
    this.#closeListeners.clear();
    this.#closed();
  }
}
