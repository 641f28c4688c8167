/** Sessions without processes: what the views are told, and what they asked for. */
import type { Session, Sessions, StartOptions } from '../../../src/client/sessions.ts';
import { SessionError } from '../../../src/client/sessions.ts';
import type { OutputRole, SessionInfo, SessionRecord } from '../../../src/host/protocol.ts';
import type { SessionStatus } from '../../../src/kd/model.ts';

export const NOW = 1_700_000_000_000;

export function sessionInfo(
  status: Partial<SessionStatus> = {},
  rest: Partial<SessionInfo> = {},
): SessionInfo {
  return {
    id: 'net-50000',
    title: 'KDNET port 50000',
    transport: 'net',
    startedAt: NOW - 60_000,
    startedBy: { kind: 'agent', name: 'Copilot' },
    kdProgram: 'kd.exe',
    hostPid: 42,
    clients: [],
    queued: 0,
    transcriptPath: '/home/transcript.log',
    transcriptEnd: 0,
    lostBreakpoints: [],
    ...rest,
    status: {
      state: 'running',
      since: NOW - 12_000,
      linked: true,
      generation: 0,
      target: {},
      breakOnConnect: false,
      notices: [],
      ...status,
    },
  };
}

export function record(id: string): SessionRecord {
  return {
    protocol: 1,
    id,
    title: id,
    transport: 'net',
    hostPid: 42,
    socket: '',
    token: '',
    startedAt: NOW,
    startedBy: { kind: 'agent', name: 'Copilot' },
    transcript: '',
    connection: {},
    kd: [],
    state: 'running',
    pinned: false,
  };
}

type Piece = { from: number; text: string; role: OutputRole };

export class FakeSession implements Session {
  info: SessionInfo;
  connected = true;
  readonly asked: string[] = [];
  /** Set to make the next command fail. */
  refusal: string | undefined;
  #output: ((piece: Piece) => void) | undefined;
  readonly #changes = new Set<(info: SessionInfo) => void>();
  readonly #closes = new Set<() => void>();

  constructor(info: SessionInfo = sessionInfo()) {
    this.info = info;
  }

  get id(): string {
    return this.info.id;
  }

  change(info: SessionInfo): void {
    this.info = info;
    for (const listener of [...this.#changes]) listener(info);
  }

  close(): void {
    this.connected = false;
    for (const listener of [...this.#closes]) listener();
  }

  output(text: string, role: OutputRole = { kind: 'kd' }): void {
    this.#output?.({ from: 0, text, role });
  }

  refresh = async () => this.info;
  command: Session['command'] = async (lines, options) => {
    this.asked.push(`${options.answer ? 'answer' : 'command'} ${lines.join('|')}`);
    if (this.refusal !== undefined) throw new SessionError(this.refusal);
    return { results: [], info: this.info };
  };
  breakIn: Session['breakIn'] = async () => {
    this.asked.push('break');
    return { outcome: 'done', from: 0, to: 0, info: this.info };
  };
  go: Session['go'] = async () => {
    this.asked.push('go');
    return { outcome: 'done', from: 0, to: 0, info: this.info };
  };
  waitForBreak: Session['waitForBreak'] = async () => ({
    outcome: 'pending',
    from: 0,
    to: 0,
    info: this.info,
  });
  read: Session['read'] = async () => ({ text: '', from: 0, to: 0, end: 0 });
  stop: Session['stop'] = async (guest) => {
    this.asked.push(`stop ${guest}`);
    return { guest: 'running', detail: '', info: this.info };
  };
  pin: Session['pin'] = async () => this.info;
  control: Session['control'] = async () => this.info;
  setLevel: Session['setLevel'] = async (level) => {
    this.asked.push(`level ${level}`);
    this.change({ ...this.info, level });
    return this.info;
  };
  share: Session['share'] = async () => {
    this.asked.push('share');
    return { remote: 'npipe:server=.,pipe=kd-mcp-0,password=secret', info: this.info };
  };
  unshare: Session['unshare'] = async () => {
    this.asked.push('unshare');
    return this.info;
  };
  touch(): void {
    this.asked.push('touch');
  }
  follow: Session['follow'] = async (_from, onOutput) => {
    this.#output = onOutput;
    return { dispose: () => {} };
  };
  onChange: Session['onChange'] = (listener) => {
    this.#changes.add(listener);
    return { dispose: () => this.#changes.delete(listener) };
  };
  onClose: Session['onClose'] = (listener) => {
    this.#closes.add(listener);
    return { dispose: () => this.#closes.delete(listener) };
  };
  dispose(): void {
    this.connected = false;
  }
}

export class FakeSessions implements Sessions {
  readonly home = '/home';
  readonly identity = { kind: 'person', name: 'Minsu' } as const;
  readonly live = new Map<string, FakeSession | Error>();
  opened = 0;
  #listener: (() => void) | undefined;

  /** Tells watchers that the records changed. */
  announce(): void {
    this.#listener?.();
  }

  list = async () => [...this.live.keys()].map(record);
  over: readonly SessionRecord[] = [];
  ended = async () => this.over;
  open = async (id = '') => {
    this.opened += 1;
    const found = this.live.get(id);
    if (found instanceof FakeSession) return found;
    throw found ?? new SessionError(`No session ${id}`);
  };
  start = async (_options: StartOptions) => {
    const session = new FakeSession(sessionInfo({}, { id: 'sim-1' }));
    this.live.set('sim-1', session);
    return { session, existing: false };
  };
  readEnded: Sessions['readEnded'] = async () => ({ text: '', from: 0, to: 0, end: 0 });
  watch = (listener: () => void) => {
    this.#listener = listener;
    return { dispose: () => (this.#listener = undefined) };
  };
  dispose(): void {}
}
