/** An engine without kd: a test says when a command ends, the target stops or runs. */
import type { Confirmation, EngineEvents, KdEngine, RunningCommand } from '../../../src/kd/engine.ts';
import type {
  Actor,
  CommandOutcome,
  HaltCause,
  KdExit,
  LastEvent,
  SessionStatus,
  TargetEvent,
} from '../../../src/kd/model.ts';

interface Open {
  readonly seq: number;
  readonly text: string;
  readonly settle: (result: { outcome: CommandOutcome; error?: string }) => void;
}

export class FakeEngine implements KdEngine {
  readonly pid = 4711;
  readonly events: EngineEvents;
  readonly exited: Promise<KdExit>;
  /** Everything that was asked of it, in order. */
  readonly asked: string[] = [];
  /** Commands end by themselves with this output, unless it is undefined. */
  autoOutput: ((text: string) => string | undefined) | undefined = () => '';
  /** What `go` answers without running. */
  refuseGo: string | undefined;
  /** `breakIn` is confirmed at once. */
  autoBreak = true;
  status: SessionStatus;
  #open: Open | undefined;
  #seq = 0;
  #exit: (exit: KdExit) => void = () => {};
  readonly #waiters = new Set<() => void>();

  constructor(events: EngineEvents, state: SessionStatus['state'] = 'running') {
    this.events = events;
    this.status = {
      state,
      since: Date.now(),
      linked: true,
      generation: 0,
      target: {},
      breakOnConnect: false,
      notices: [],
    };
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
  }

  keepSecret(): void {}

  redact(text: string): string {
    return text.replaceAll('SECRET', '<redacted>');
  }

  expectOthers(): void {}

  set(change: Partial<SessionStatus>): void {
    const next = { ...this.status, ...change };
    const halted = next.state === 'broken' || next.state === 'busy' || next.state === 'asking';
    if (!halted && next.state !== 'ended') {
      const { halt: _halt, ...rest } = next;
      this.status = rest;
    } else this.status = next;
    if (next.state !== 'busy') {
      const { command: _command, ...rest } = this.status;
      this.status = rest;
    }
    this.events.onStatus(this.status);
    for (const look of [...this.#waiters]) look();
  }

  /** The target stops. */
  stop(cause: HaltCause, event: TargetEvent = { kind: 'break-in' }): void {
    const last: LastEvent = { ...event, at: Date.now(), text: '' };
    this.set({
      state: 'broken',
      generation: this.status.generation + 1,
      lastEvent: last,
      halt: { since: Date.now(), cause, event: last },
    });
  }

  happen(event: TargetEvent, state: SessionStatus['state'] = 'waiting'): void {
    this.set({ state, lastEvent: { ...event, at: Date.now(), text: '' } });
  }

  print(text: string): void {
    this.events.onTranscript({ kind: 'kd', text });
  }

  run(text: string, by: Actor): RunningCommand {
    if (this.status.state !== 'broken') throw new Error(`kd takes no command while ${this.status.state}`);
    if (this.#open !== undefined) throw new Error('another command has not settled');
    return this.#send(text, by);
  }

  answer(text: string, by: Actor): RunningCommand {
    if (this.status.state !== 'asking') throw new Error('kd asks nothing');
    return this.#send(text, by);
  }

  #send(text: string, by: Actor): RunningCommand {
    const seq = ++this.#seq;
    this.asked.push(`${by.name}: ${text}`);
    this.events.onTranscript({ kind: 'command', text, by, seq });
    this.events.onCommandStart(seq);
    const settled = new Promise<{ outcome: CommandOutcome; error?: string }>((settle) => {
      this.#open = { seq, text, settle };
    });
    this.set({ state: 'busy', command: { seq, text, by, since: Date.now() } });
    const output = this.autoOutput?.(text);
    if (output !== undefined) queueMicrotask(() => this.end('done', output));
    return { seq, settled };
  }

  /** The running command ends. */
  end(outcome: CommandOutcome = 'done', output = '', error?: string): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    if (output !== '') this.print(output);
    this.events.onCommandEnd(open.seq, outcome, error);
    const state =
      outcome === 'resumed'
        ? 'running'
        : outcome === 'ended'
          ? 'ended'
          : outcome === 'asking'
            ? 'asking'
            : 'broken';
    this.set({ state });
    open.settle(error === undefined ? { outcome } : { outcome, error });
  }

  async breakIn(by: Actor, timeoutMs: number): Promise<Confirmation> {
    this.asked.push(`${by.name}: <break>`);
    const { state, generation } = this.status;
    if (state === 'broken') return { ok: true };
    if (state === 'busy') {
      if (this.autoBreak) this.end('interrupted');
      return this.status.state === 'busy' ? { ok: false, reason: 'timeout' } : { ok: true };
    }
    this.set({ state: 'breaking' });
    if (this.autoBreak) this.stop(by);
    return this.waitForStop(generation, timeoutMs);
  }

  async go(by: Actor): Promise<Confirmation> {
    if (this.status.state !== 'broken') return { ok: false, reason: 'wrong-state' };
    this.asked.push(`${by.name}: g`);
    if (this.refuseGo !== undefined) return { ok: false, reason: 'refused', text: this.refuseGo };
    // As with the real one, the session is busy until the target is known to run.
    this.set({ state: 'busy' });
    await new Promise((resolve) => setImmediate(resolve));
    this.set({ state: 'running' });
    return { ok: true };
  }

  waitForStop(generation: number, timeoutMs: number, signal?: AbortSignal): Promise<Confirmation> {
    if (this.status.generation > generation) return Promise.resolve({ ok: true });
    return new Promise((resolve) => {
      const finish = (result: Confirmation): void => {
        clearTimeout(timer);
        this.#waiters.delete(look);
        resolve(result);
      };
      const timer = setTimeout(() => finish({ ok: false, reason: 'timeout' }), timeoutMs);
      const look = (): void => {
        if (this.status.generation > generation) finish({ ok: true });
        else if (this.status.state === 'ended') finish({ ok: false, reason: 'ended' });
      };
      this.#waiters.add(look);
      signal?.addEventListener('abort', () => finish({ ok: false, reason: 'timeout' }));
    });
  }

  async quit(guest: 'resume' | 'leave_frozen', by: Actor): Promise<KdExit> {
    this.asked.push(`${by.name}: quit ${guest}`);
    this.end('ended');
    this.exit(0, guest === 'resume' ? 'running' : 'halted');
    return this.exited;
  }

  kill(reason: string): void {
    this.exit(null, 'unknown', reason);
  }

  exit(code: number | null, target: KdExit['target'], reason = 'kd ended'): void {
    const exit: KdExit = { code, at: Date.now(), reason, target };
    this.end('ended');
    this.set({ state: 'ended', exit });
    this.#exit(exit);
  }
}
