/** Sessions without a session host: a scripted kd in memory, for tests of tools and of the MCP server. */
import {
  type Disposable,
  type Session,
  SessionError,
  type Sessions,
  type Started,
  type StartOptions,
} from '../../src/client/sessions.ts';
import {
  type CommandResult,
  type Level,
  PROTOCOL,
  type ReadResult,
  type RunControlResult,
  type SessionInfo,
  type SessionRecord,
  type Shared,
} from '../../src/host/protocol.ts';
import type { KdState, LastEvent, SessionStatus } from '../../src/kd/model.ts';

export type Respond = (line: string) => string;

/** One session. Its parts may be replaced by a test: `session.go = …`. */
export class FakeSession implements Session {
  readonly id: string;
  info: SessionInfo;
  connected = true;
  /** Everything that was asked of kd, in order: `break`, `g`, command lines. */
  readonly sent: string[] = [];
  respond: Respond = (line) => `output of ${line}\n`;
  /** How a command ends; default `done`. */
  outcome: CommandResult['outcome'] = 'done';
  readonly #listeners = new Set<(info: SessionInfo) => void>();
  readonly #closers = new Set<() => void>();
  #transcript = Buffer.alloc(0);
  #seq = 0;

  constructor(id: string, state: KdState = 'broken') {
    this.id = id;
    this.info = {
      id,
      title: 'NET port 50000',
      transport: 'net',
      startedAt: Date.now() - 60_000,
      startedBy: { kind: 'agent', name: 'test' },
      kdProgram: '/kd/kd.exe',
      hostPid: 4711,
      status: statusOf(state, 1),
      level: 'debug',
      clients: [],
      queued: 0,
      transcriptPath: '/nowhere/transcript.log',
      transcriptEnd: 0,
      lostBreakpoints: [],
    };
  }

  /** kd prints. */
  print(text: string): void {
    this.#transcript = Buffer.concat([this.#transcript, Buffer.from(text, 'utf8')]);
    this.info = { ...this.info, transcriptEnd: this.#transcript.length };
  }

  /** The state changes, and everybody is told. */
  become(state: KdState, more: Partial<SessionStatus> = {}): void {
    const stops =
      state === 'broken' && this.info.status.state !== 'broken' && this.info.status.state !== 'busy';
    const generation = this.info.status.generation + (stops ? 1 : 0);
    this.update({ status: { ...statusOf(state, generation), ...more } });
  }

  update(change: Partial<SessionInfo>): void {
    this.info = { ...this.info, ...change };
    for (const listener of [...this.#listeners]) listener(this.info);
  }

  /** The host is gone. */
  drop(): void {
    this.connected = false;
    for (const closer of [...this.#closers]) closer();
  }

  async refresh(): Promise<SessionInfo> {
    return this.info;
  }

  async command(lines: readonly string[]): Promise<{ results: readonly CommandResult[]; info: SessionInfo }> {
    if (this.info.status.state !== 'broken' && this.info.status.state !== 'asking') {
      throw new SessionError(`The target is ${this.info.status.state}: break_in first.`);
    }
    const results = lines.map((text): CommandResult => {
      this.sent.push(text);
      this.#seq += 1;
      this.print(`0: kd> ${text}\n`);
      const from = this.#transcript.length;
      const output = this.respond(text);
      this.print(output);
      const error = /^\s*(\^ .*)$/m.exec(output)?.[1];
      const to = this.#transcript.length;
      return {
        seq: this.#seq,
        text,
        outcome: this.outcome,
        from,
        to,
        durationMs: 3,
        effects: ['reads target'],
        ...(error ? { error } : {}),
      };
    });
    return { results, info: this.info };
  }

  async breakIn(timeoutMs: number): Promise<RunControlResult> {
    const from = this.info.transcriptEnd;
    switch (this.info.status.state) {
      case 'running': {
        this.sent.push('break');
        this.print('Break instruction exception - code 80000003 (first chance)\n');
        this.become('broken');
        return this.#result('done', from);
      }
      case 'busy':
        this.sent.push('break');
        this.become('broken');
        return this.#result('interrupted', from);
      case 'waiting':
        this.update({ status: { ...this.info.status, breakOnConnect: true } });
        return this.#result('pending', from);
      case 'breaking':
        await this.#stopped(timeoutMs);
        return this.#result(isBroken(this.info) ? 'done' : 'pending', from);
      default:
        return this.#result('already', from);
    }
  }

  async go(_waitMs: number): Promise<RunControlResult> {
    const from = this.info.transcriptEnd;
    if (this.info.status.state === 'running') return this.#result('already', from);
    if (this.info.status.state !== 'broken') {
      return { ...this.#result('refused', from), error: `the target is ${this.info.status.state}` };
    }
    this.sent.push('g');
    const haltedMs = Date.now() - (this.info.status.halt?.since ?? Date.now());
    this.become('running');
    return { ...this.#result('done', from), haltedMs };
  }

  async waitForBreak(options: {
    timeoutMs: number;
    generation?: number;
    signal?: AbortSignal;
  }): Promise<RunControlResult> {
    const from = this.info.transcriptEnd;
    await this.#stopped(options.timeoutMs, options.signal);
    return this.#result(this.info.status.state === 'broken' ? 'done' : 'pending', from);
  }

  async read(options: { from?: number; maxBytes: number; grep?: string }): Promise<ReadResult> {
    return readBuffer(this.#transcript, options);
  }

  async stop(
    guest: 'resume' | 'leave_frozen',
  ): Promise<{ guest: 'running' | 'frozen'; detail: string; info: SessionInfo }> {
    this.sent.push(`stop ${guest}`);
    this.become('ended');
    return { guest: guest === 'resume' ? 'running' : 'frozen', detail: '', info: this.info };
  }

  async pin(): Promise<SessionInfo> {
    return this.info;
  }

  async control(): Promise<SessionInfo> {
    return this.info;
  }

  async setLevel(level: Level): Promise<SessionInfo> {
    this.update({ level });
    return this.info;
  }

  async share(): Promise<Shared> {
    return { remote: 'npipe:server=.,pipe=kd-mcp-0,password=secret', info: this.info };
  }

  async unshare(): Promise<SessionInfo> {
    return this.info;
  }

  touch(): void {}

  async follow(): Promise<Disposable> {
    return { dispose: () => undefined };
  }

  onChange(listener: (info: SessionInfo) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  onClose(listener: () => void): Disposable {
    this.#closers.add(listener);
    return { dispose: () => this.#closers.delete(listener) };
  }

  dispose(): void {
    this.connected = false;
  }

  /** Settles when the target is halted, the time is over or the signal comes. */
  async #stopped(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.info.status.state === 'broken') return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        listening.dispose();
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal?.addEventListener('abort', done, { once: true });
      const listening = this.onChange((info) => {
        if (info.status.state === 'broken') done();
      });
    });
  }

  #result(outcome: RunControlResult['outcome'], from: number): RunControlResult {
    return { outcome, from, to: this.info.transcriptEnd, info: this.info };
  }
}

export class FakeSessions implements Sessions {
  readonly home = '/nowhere';
  readonly identity = { kind: 'agent', name: 'test' } as const;
  readonly sessions = new Map<string, FakeSession>();
  readonly over: SessionRecord[] = [];
  readonly overText = new Map<string, string>();
  readonly started: StartOptions[] = [];
  disposed = false;
  /** The session that `start` joins has another key. */
  otherKey = false;
  /** What `start` gives; default: a session that waits and then runs. */
  onStart: (options: StartOptions) => FakeSession | Promise<FakeSession> = () =>
    new FakeSession('net-50000', 'running');

  add(session: FakeSession): FakeSession {
    this.sessions.set(session.id, session);
    return session;
  }

  async list(): Promise<readonly SessionRecord[]> {
    return [...this.sessions.values()].map((session) => recordOf(session.info));
  }

  async ended(limit = 50): Promise<readonly SessionRecord[]> {
    return this.over.slice(0, limit);
  }

  async open(id?: string): Promise<FakeSession> {
    const ids = [...this.sessions.keys()];
    const only = ids.length === 1 ? ids[0] : undefined;
    const session = this.sessions.get(id ?? only ?? '');
    if (session) return session;
    if (id !== undefined)
      throw new SessionError(`There is no session ${id}. Sessions: ${ids.join(', ') || 'none'}.`);
    throw new SessionError(
      ids.length === 0
        ? 'No session lives. Next: start_from_state or start_kd.'
        : `Several sessions live: ${ids.join(', ')}. Say which with session_id.`,
    );
  }

  async start(options: StartOptions): Promise<Started & { session: FakeSession }> {
    this.started.push(options);
    const session = await this.onStart(options);
    const existing = this.sessions.has(session.id);
    const otherKey = existing && this.otherKey;
    return { session: this.add(session), existing, ...(otherKey ? { otherKey } : {}) };
  }

  async readEnded(
    id: string,
    options: { from?: number; maxBytes: number; grep?: string },
  ): Promise<ReadResult> {
    const text = this.overText.get(id);
    if (text === undefined) throw new SessionError(`There is no session ${id}.`);
    return readBuffer(Buffer.from(text, 'utf8'), options);
  }

  watch(): Disposable {
    return { dispose: () => undefined };
  }

  dispose(): void {
    this.disposed = true;
  }
}

export function statusOf(state: KdState, generation: number): SessionStatus {
  const now = Date.now();
  const halted = state === 'broken' || state === 'busy' || state === 'asking';
  const event: LastEvent = { kind: 'break-in', at: now, text: '' };
  const by = { kind: 'agent', name: 'test' } as const;
  return {
    state,
    since: now,
    linked: state !== 'waiting' && state !== 'starting',
    generation,
    target: {},
    breakOnConnect: false,
    notices: [],
    ...(halted ? { prompt: '0: kd>', lastEvent: event, halt: { since: now, cause: by, event } } : {}),
    ...(state === 'busy' ? { command: { seq: 9, text: '!process 0 7', by, since: now } } : {}),
    ...(state === 'ended'
      ? { exit: { code: 0, at: now, reason: 'kd ended', target: 'running' as const } }
      : {}),
  };
}

export function recordOf(info: SessionInfo): SessionRecord {
  return {
    protocol: PROTOCOL,
    id: info.id,
    title: info.title,
    transport: info.transport,
    hostPid: info.hostPid,
    socket: '/nowhere/socket',
    token: 'secret-token',
    startedAt: info.startedAt,
    startedBy: info.startedBy,
    transcript: info.transcriptPath,
    connection: {},
    kd: [info.kdProgram],
    state: info.status.state,
    pinned: info.pinnedBy !== undefined,
    ...(info.status.halt ? { halt: info.status.halt } : {}),
    ...(info.guestHost === undefined ? {} : { guestHost: info.guestHost }),
    ...(info.kdPid === undefined ? {} : { kdPid: info.kdPid }),
    ...(info.level === undefined ? {} : { level: info.level }),
  };
}

/** A function, because the compiler does not know that an awaited call changes the state. */
function isBroken(info: SessionInfo): boolean {
  return info.status.state === 'broken';
}

function readBuffer(all: Buffer, options: { from?: number; maxBytes: number; grep?: string }): ReadResult {
  const end = all.length;
  const asked = options.from ?? 0;
  let from = Math.min(end, asked < 0 ? Math.max(0, end + asked) : asked);
  while (from < end && isContinuation(all[from])) from += 1;
  if (options.grep !== undefined) {
    const lines = all.toString('utf8', from).split('\n').filter(matcher(options.grep));
    return {
      text: lines
        .map((line) => `${line}\n`)
        .join('')
        .slice(0, options.maxBytes),
      from,
      to: end,
      end,
    };
  }
  let to = Math.min(end, from + options.maxBytes);
  while (to > from && to < end && isContinuation(all[to])) to -= 1;
  return { text: all.toString('utf8', from, to), from, to, end };
}

/** As the session host: a regular expression, or plain text if it is none. */
function matcher(grep: string): (line: string) => boolean {
  try {
    const wanted = new RegExp(grep, 'i');
    return (line) => wanted.test(line);
  } catch {
    return (line) => line.toLowerCase().includes(grep.toLowerCase());
  }
}

/** In the middle of a UTF-8 character. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
