/**
 * One kd process and the truth about it: bytes in, state out; commands, break-in, go and the end.
 *
 * The state follows the byte stream, whoever caused it. "Halted" is only ever claimed on a marker (framing.ts).
 */
import { randomBytes } from 'node:crypto';
import { climb } from './break-ladder.ts';
import { type CommandEffect, effectOf } from './command.ts';
import type { Transport } from './connection.ts';
import { createDecoder, type Decoder } from './decode.ts';
import type { Confirmation, EngineEvents, KdEngine, RunningCommand } from './engine.ts';
import { type ConsoleEvent, eventOf } from './events.ts';
import { ConsoleReader, type Step } from './framing.ts';
import type {
  Actor,
  CommandOutcome,
  HaltCause,
  KdExit,
  LastEvent,
  Notice,
  SessionStatus,
  TargetEvent,
} from './model.ts';
import { noticeFor } from './notices.ts';
import { type KdProcess, startKd } from './process.ts';
import { promptAtEnd, type Question, questionIn, stripPrompts } from './prompts.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { evidenceOf, type StopEvidence, withEvent } from './target.ts';

export interface SessionOptions {
  /** The debugger and its leading arguments. */
  readonly program: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly secrets: readonly string[];
  readonly transport: Transport;
  /** An empty, private folder. */
  readonly workdir: string;
  /** Code page of kd's output; 65001 where there is no Windows. */
  readonly codePage?: number;
  readonly breakOnConnect: boolean;
  readonly startedBy: Actor;
  readonly events: EngineEvents;
}

/** Silence after which an unfinished line is looked at: shown, or taken for a question. */
const QUIET_MS = 40;
/** kd refuses a `g` at once; after this it is taken to run. */
const GO_CONFIRM_MS = 300;
/** A step comes back at once, unless it ran into something that never returns. */
const STEP_CONFIRM_MS = 1_000;
/** A break sent right after `g` may find kd still at its prompt and is dropped there (kd-behaviour.md §4.3). */
const GO_SETTLE_MS = 50;
/** A box stop this soon after `g` is the echo of an earlier break request (kd-behaviour.md §5.3). */
const OWED_MS = 1_000;
/** How long kd gets to end after `qd` or `q`. */
const EXIT_MS = 10_000;

interface ActiveCommand {
  readonly seq: number;
  readonly text: string;
  readonly by: Actor;
  readonly since: number;
  readonly effect: CommandEffect;
  readonly settle: (result: { outcome: CommandOutcome; error?: string }) => void;
  error?: string;
  interrupted: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class KdSession implements KdEngine {
  readonly exited: Promise<KdExit>;
  readonly #options: SessionOptions;
  readonly #process: KdProcess;
  readonly #decoder: Decoder;
  readonly #redactor: Redactor;
  readonly #reader = new ConsoleReader();
  readonly #nonce = randomBytes(6).toString('hex');
  readonly #resolveExit: (exit: KdExit) => void;
  #status: SessionStatus;
  #dirty = false;
  #seq = 0;
  #markers = 0;
  #command: ActiveCommand | undefined;
  #evidence: StopEvidence | undefined;
  #hardReset = false;
  #question: Question | undefined;
  #answeredTail = '';
  #askedWhileRunning = false;
  #quiet: NodeJS.Timeout | undefined;
  #confirm: NodeJS.Timeout | undefined;
  #lastInput = 0;
  /** Break requests sent since the last stop; what is left of earlier ones. */
  #breaksSent = 0;
  #breaksOwed = 0;
  #breakBy: Actor | undefined;
  #stepBy: Actor | undefined;
  #wentAt = 0;
  #climbing: Promise<boolean> | undefined;
  #waiters = new Set<() => void>();
  #ending: { readonly reason: string; readonly target: KdExit['target'] } | undefined;

  static start(options: SessionOptions): KdSession {
    return new KdSession(options);
  }

  private constructor(options: SessionOptions) {
    this.#options = options;
    this.#decoder = createDecoder(options.codePage ?? 65001);
    this.#redactor = createRedactor(options.secrets);
    let resolve: (exit: KdExit) => void = () => {};
    this.exited = new Promise((done) => {
      resolve = done;
    });
    this.#resolveExit = resolve;
    this.#status = {
      state: 'starting',
      since: Date.now(),
      linked: false,
      generation: 0,
      target: {},
      breakOnConnect: options.breakOnConnect,
      notices: [],
    };
    if (options.breakOnConnect) this.#breakBy = options.startedBy;
    this.#process = startKd(
      { program: options.program, args: options.args, workdir: options.workdir },
      { onBytes: (bytes) => this.#received(bytes), onExit: (code, error) => this.#exit(code, error) },
    );
  }

  get status(): SessionStatus {
    return this.#status;
  }

  /** Process id of kd; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  run(text: string, by: Actor): RunningCommand {
    if (this.#status.state !== 'broken') throw new Error(`kd takes no command while ${this.#status.state}`);
    return this.#send(text, by, effectOf(text));
  }

  answer(text: string, by: Actor): RunningCommand {
    if (this.#status.state !== 'asking') throw new Error(`kd asks nothing while ${this.#status.state}`);
    this.#answeredTail = this.#reader.tail;
    const effect = { resumes: this.#askedWhileRunning, steps: false, endsSession: false, reboots: false };
    this.#question = undefined;
    return this.#send(text, by, effect);
  }

  async go(by: Actor): Promise<Confirmation> {
    if (this.#status.state !== 'broken') return { ok: false, reason: 'wrong-state' };
    const generation = this.#status.generation;
    const { outcome, error } = await this.#send('g', by, effectOf('g')).settled;
    if (outcome === 'resumed' || outcome === 'lost' || this.#status.generation > generation)
      return { ok: true };
    if (outcome === 'ended') return { ok: false, reason: 'ended' };
    return { ok: false, reason: 'refused', ...(error === undefined ? {} : { text: error }) };
  }

  async breakIn(by: Actor, timeoutMs: number): Promise<Confirmation> {
    const deadline = Date.now() + timeoutMs;
    switch (this.#status.state) {
      case 'ended':
        return { ok: false, reason: 'ended' };
      case 'broken':
        return { ok: true };
      case 'starting':
      case 'waiting':
        if (!this.#status.linked) return this.#breakAtConnect(by, timeoutMs);
        break;
      case 'asking':
        this.#answeredTail = this.#reader.tail;
        this.#process.write(`${this.#question?.cancel ?? ''}\n`);
        this.#set({ state: 'busy' });
        this.#publish();
        return (await this.#until(() => this.#status.state === 'broken', timeoutMs))
          ? this.#confirmed()
          : { ok: false, reason: 'timeout' };
      case 'busy':
        if (this.#command) this.#command.interrupted = true;
        break;
      case 'running':
      case 'breaking':
        this.#set({ state: 'breaking' });
        break;
    }
    this.#breakBy = by;
    if (this.#status.state === 'waiting') this.#set({ state: 'breaking' });
    this.#publish();
    // Two callers share one ladder, but each has its own patience.
    while (Date.now() < deadline && !this.#stopped()) {
      this.#climbing ??= this.#climb(deadline);
      const climbing = this.#climbing;
      await Promise.race([climbing, this.#until(() => this.#stopped(), deadline - Date.now())]);
      if (this.#climbing === climbing) this.#climbing = undefined;
    }
    return this.#stopped() ? this.#confirmed() : { ok: false, reason: 'timeout' };
  }

  async waitForStop(generation: number, timeoutMs: number, signal?: AbortSignal): Promise<Confirmation> {
    const come = (): boolean => this.#status.generation > generation || this.#status.state === 'asking';
    await this.#until(() => come() || this.#ended(), timeoutMs, signal);
    if (come()) return { ok: true };
    return { ok: false, reason: this.#ended() ? 'ended' : 'timeout' };
  }

  async quit(guest: 'resume' | 'leave_frozen', by: Actor): Promise<KdExit> {
    if (this.#options.transport === 'remote') return this.#leaveRemote();
    switch (this.#status.state) {
      case 'ended':
        return this.exited;
      case 'starting':
      case 'waiting':
        if (this.#status.linked) break;
        this.#kill('it was stopped while no target was connected', 'absent');
        return this.exited;
      default:
        break;
    }
    const stopped = await this.breakIn(by, EXIT_MS);
    if (!stopped.ok || this.#status.state !== 'broken') {
      const halted = this.#status.state === 'busy' || this.#status.state === 'asking';
      this.#kill(
        halted
          ? 'its command did not end, so kd was ended; the guest is left frozen'
          : 'the target did not answer a break, so kd was ended; the guest is left as it was',
        halted ? 'halted' : 'running',
      );
      return this.exited;
    }
    const dead = this.#options.transport === 'dump' || this.#options.transport === 'local';
    if (guest === 'resume' && !dead) await this.#clearTheWay(by);
    if (this.#status.state === 'broken') {
      const resume = guest === 'resume' && !dead;
      this.#ending = {
        reason: resume ? 'the session was stopped and the guest resumed' : 'the session was stopped',
        target: dead ? 'absent' : resume ? 'running' : 'halted',
      };
      this.#send(resume ? 'qd' : 'q', by, effectOf('q'));
    }
    await this.#until(() => this.#ended(), EXIT_MS);
    if (!this.#ended()) this.#kill('kd did not end by itself and was ended', 'unknown');
    return this.exited;
  }

  kill(reason: string): void {
    const { state } = this.#status;
    const halted = state === 'broken' || state === 'busy' || state === 'asking';
    this.#kill(
      reason,
      halted ? 'halted' : state === 'waiting' || state === 'starting' ? 'absent' : 'running',
    );
  }

  // ------------------------------------------------------------------------------------------------- input from kd

  #received(bytes: Uint8Array): void {
    this.#lastInput = Date.now();
    this.#take(this.#reader.push(this.#decoder.decode(bytes)));
    const tail = this.#reader.tail;
    if (!this.#reader.armed && this.#status.state !== 'broken' && promptAtEnd(tail) !== undefined)
      this.#arm();
    if (tail !== '' || this.#reader.armed) this.#quiet ??= setTimeout(() => this.#silence(), QUIET_MS);
    this.#publish();
  }

  #take(steps: readonly Step[]): void {
    for (const step of steps) {
      switch (step.kind) {
        case 'text':
          if (step.text !== '') this.#emit({ kind: 'kd', text: this.#redactor.redact(step.text) });
          for (const line of step.lines) this.#line(line);
          break;
        case 'noise':
          this.#notice('noise');
          break;
        case 'mark':
          this.#prompted(step.prompt);
          break;
      }
    }
  }

  /** kd looks like it is at a prompt: ask it. */
  #arm(): void {
    const marker = `KDMCP_${this.#nonce}_${++this.#markers}_`;
    this.#reader.arm(marker);
    this.#process.write(`.echo\n.echo ${marker}\n`);
  }

  /** Nothing came for a while: the unfinished line is a question, an unknown prompt, or simply unfinished. */
  #silence(): void {
    this.#quiet = undefined;
    const wait = this.#lastInput + QUIET_MS - Date.now();
    if (wait > 0) {
      this.#quiet = setTimeout(() => this.#silence(), wait);
      return;
    }
    const { state } = this.#status;
    const tail = this.#reader.tail;
    const waitsForInput =
      state !== 'broken' && state !== 'asking' && state !== 'ended' && !this.#reader.armed;
    const question =
      waitsForInput && tail !== this.#answeredTail ? questionIn(tail, this.#command?.text) : undefined;
    this.#take(this.#reader.flush((text) => this.#redactor.unfinished(text)));
    if (question) this.#asked(question);
    // A prompt form that nobody documented; a marker in kd's stdin does no harm if it is none.
    else if (waitsForInput && state !== 'starting' && tail.endsWith('> ')) this.#arm();
    this.#publish();
  }

  #line(line: string): void {
    let bare = line;
    let event = eventOf(bare);
    if (event === undefined && line.includes('> ')) {
      bare = stripPrompts(line);
      event = eventOf(bare);
    }
    if (event) this.#happened(event, bare);
  }

  #happened(event: ConsoleEvent, line: string): void {
    const { state } = this.#status;
    const target = withEvent(this.#status.target, event);
    if (target !== this.#status.target) this.#set({ target });
    const located =
      event.kind === 'break-in-location' && (this.#stepBy !== undefined || this.#evidence !== undefined);
    if (
      !located &&
      state !== 'broken' &&
      (state !== 'busy' || this.#command?.effect.resumes || this.#command?.effect.reboots)
    ) {
      this.#evidence = evidenceOf(this.#evidence, event, this.#redactor.redact(line));
    }
    const notice = noticeFor(event, this.#redactor.redact(line));
    if (notice) this.#notice(notice.kind, notice.text);
    switch (event.kind) {
      case 'version':
        this.#set({ kdVersion: event.version });
        break;
      case 'waiting':
        this.#set({ state: 'waiting', linked: false });
        if (this.#status.breakOnConnect) this.#requestBreak();
        break;
      case 'linked':
        this.#set({ linked: true });
        break;
      case 'established':
        if (state === 'waiting' || state === 'starting') this.#set({ state: 'running' });
        this.#set({ linked: true });
        this.#setEvent({ kind: 'connected' }, line);
        break;
      case 'hard-reset':
        this.#hardReset = true;
        break;
      case 'shutdown':
        this.#lostTarget(line);
        break;
      case 'link-trouble':
        this.#setEvent({ kind: 'link-lost' }, line);
        break;
      case 'command-error':
      case 'interrupted':
        if (this.#command && this.#command.error === undefined)
          this.#command.error = this.#redactor.redact(line.trim());
        break;
      default:
        break;
    }
  }

  // ------------------------------------------------------------------------------------------------- transitions

  /** The marker came: kd is at its prompt, and has been since that prompt was printed. */
  #prompted(prompt: string): void {
    this.#emit({ kind: 'prompt', text: prompt });
    clearTimeout(this.#confirm);
    const { state } = this.#status;
    const command = this.#command;
    const asks = command?.effect.resumes === true || command?.effect.reboots === true;
    const refused = asks && command?.error !== undefined && this.#evidence === undefined;
    const ran = state === 'starting' || state === 'waiting' || state === 'running' || state === 'breaking';
    this.#question = undefined;
    this.#set({ state: 'broken', prompt: prompt.trimEnd(), question: undefined });
    if ((ran || asks) && !refused) {
      if (this.#isEcho()) {
        this.#resumeEcho();
        return;
      }
      this.#stop(command);
    } else if (this.#status.halt === undefined) {
      this.#set({
        halt: { since: Date.now(), cause: { kind: 'unknown' }, event: this.#event({ kind: 'stop' }, '') },
      });
    }
    const interrupted = command?.interrupted === true && !asks;
    this.#settle(interrupted ? 'interrupted' : 'done');
    this.#wake();
  }

  #stop(command: ActiveCommand | undefined): void {
    const steps = command?.effect.steps === true || (command === undefined && this.#stepBy !== undefined);
    const evidence = this.#evidence ?? { event: { kind: steps ? 'step' : 'stop' } as TargetEvent, text: '' };
    // Quiet mode (`sqe`, `-kqm`) leaves the box out; the break that was asked for is the reason all the same.
    const silentBreak =
      evidence.event.kind === 'exception' && evidence.event.code === '80000003' && this.#breaksSent > 0;
    const event = this.#event(silentBreak ? { kind: 'break-in' } : evidence.event, evidence.text);
    const breakIn = event.kind === 'break-in';
    this.#breaksOwed = breakIn ? Math.max(0, this.#breaksSent - 1) : this.#breaksSent;
    const cause: HaltCause = breakIn
      ? (this.#breakBy ?? { kind: 'unknown' })
      : event.kind === 'step'
        ? (command?.by ?? this.#stepBy ?? { kind: 'target' })
        : { kind: 'target' };
    this.#breaksSent = 0;
    this.#breakBy = undefined;
    this.#stepBy = undefined;
    this.#evidence = undefined;
    this.#set({
      generation: this.#status.generation + 1,
      lastEvent: event,
      halt: { since: event.at, cause, event },
      breakOnConnect: false,
      linked: true,
    });
  }

  /** A stop that nobody asked for now: an earlier break request that kd kept. */
  #isEcho(): boolean {
    return (
      this.#breaksOwed > 0 &&
      this.#breaksSent === 0 &&
      this.#evidence?.event.kind === 'break-in' &&
      Date.now() - this.#wentAt < OWED_MS
    );
  }

  #resumeEcho(): void {
    this.#breaksOwed = 0;
    this.#evidence = undefined;
    this.#notice('owed-break');
    this.#remark('an earlier break request stopped the target again; resumed once');
    const command = this.#command;
    this.#wentAt = Date.now();
    this.#set({ state: command ? 'busy' : 'running', prompt: undefined });
    this.#process.write('g\n');
    if (command) this.#confirmLater(command);
  }

  #lostTarget(line: string): void {
    const kind = this.#hardReset ? 'hard-reset' : 'reboot';
    this.#hardReset = false;
    this.#evidence = undefined;
    this.#breaksOwed = 0;
    this.#breaksSent = 0;
    this.#stepBy = undefined;
    clearTimeout(this.#confirm);
    const { linkAddress } = this.#status.target;
    this.#set({
      state: 'waiting',
      linked: false,
      prompt: undefined,
      halt: undefined,
      question: undefined,
      target: linkAddress === undefined ? {} : { linkAddress },
    });
    this.#setEvent({ kind }, line);
    this.#settle('lost');
    this.#wake();
  }

  #asked(question: Question): void {
    this.#askedWhileRunning = this.#status.state === 'running' || this.#status.state === 'breaking';
    this.#question = question;
    clearTimeout(this.#confirm);
    this.#set({ state: 'asking', question: this.#redactor.redact(question.text) });
    if (this.#status.halt === undefined) {
      this.#set({
        halt: {
          since: Date.now(),
          cause: { kind: 'target' },
          event: this.#event({ kind: 'stop' }, question.text),
        },
      });
    }
    this.#settle('asking');
    this.#wake();
  }

  #exit(code: number | null, error: Error | undefined): void {
    if (this.#status.state === 'ended') return;
    clearTimeout(this.#quiet);
    clearTimeout(this.#confirm);
    this.#take(this.#reader.push(this.#decoder.end()));
    this.#take(this.#reader.end());
    const { state } = this.#status;
    const halted = state === 'broken' || state === 'busy' || state === 'asking';
    const failure = this.#status.notices.findLast((notice) => FATAL.has(notice.kind));
    const exit: KdExit = {
      code: code === null ? null : code >>> 0,
      at: Date.now(),
      reason: error
        ? `kd could not be started: ${error.message}`
        : (this.#ending?.reason ?? failure?.text ?? `kd ended by itself (exit code ${code ?? 'unknown'})`),
      target:
        this.#ending?.target ??
        (halted ? 'halted' : state === 'running' || state === 'breaking' ? 'running' : 'absent'),
    };
    this.#set({ state: 'ended', prompt: undefined, question: undefined, exit });
    this.#settle('ended');
    this.#publish();
    this.#wake();
    this.#resolveExit(exit);
  }

  // ------------------------------------------------------------------------------------------------- output to kd

  #send(text: string, by: Actor, effect: CommandEffect): RunningCommand {
    const seq = ++this.#seq;
    const shown = this.#redactor.redact(text);
    let settle: ActiveCommand['settle'] = () => {};
    const settled = new Promise<{ outcome: CommandOutcome; error?: string }>((resolve) => {
      settle = resolve;
    });
    const command: ActiveCommand = { seq, text, by, since: Date.now(), effect, settle, interrupted: false };
    this.#command = command;
    this.#emit({ kind: 'command', text: shown, by, seq });
    this.#options.events.onCommandStart(seq);
    this.#set({
      state: 'busy',
      command: { seq, text: shown, by, since: command.since },
      question: undefined,
    });
    this.#process.write(`${text}\n`);
    if (effect.resumes || effect.reboots) {
      this.#evidence = undefined;
      this.#wentAt = Date.now();
      this.#stepBy = effect.steps ? by : undefined;
    }
    if (effect.resumes) this.#confirmLater(command);
    this.#publish();
    return { seq, settled };
  }

  /** A resuming command that has neither failed nor stopped again by then lets the target run. */
  #confirmLater(command: ActiveCommand): void {
    clearTimeout(this.#confirm);
    this.#confirm = setTimeout(
      () => {
        if (this.#command !== command || this.#status.state !== 'busy') return;
        if (this.#reader.armed) {
          this.#confirmLater(command);
          return;
        }
        this.#set({ state: 'running', prompt: undefined, halt: undefined });
        this.#settle('resumed');
        this.#publish();
        this.#wake();
      },
      command.effect.steps ? STEP_CONFIRM_MS : GO_CONFIRM_MS,
    );
  }

  #settle(outcome: CommandOutcome): void {
    const command = this.#command;
    if (!command) return;
    this.#command = undefined;
    this.#set({ command: undefined });
    this.#options.events.onCommandEnd(command.seq, outcome, command.error);
    command.settle(command.error === undefined ? { outcome } : { outcome, error: command.error });
  }

  // ------------------------------------------------------------------------------------------------- break, end

  async #breakAtConnect(by: Actor, timeoutMs: number): Promise<Confirmation> {
    const { generation } = this.#status;
    if (!this.#status.breakOnConnect) {
      this.#breakBy = by;
      this.#set({ breakOnConnect: true });
      if (this.#status.state === 'waiting') this.#requestBreak();
      this.#publish();
    }
    return this.waitForStop(generation, timeoutMs);
  }

  /** The engine keeps a request made while it waits, and stops the target as soon as it connects (engine.md §6). */
  #requestBreak(): void {
    for (const rung of this.#process.breaker.rungs) {
      if (this.#process.breaker.send(rung).ok) break;
    }
    this.#breaksSent = 1;
  }

  #climb(deadline: number): Promise<boolean> {
    const serial = ['com', 'pipe', 'tcp', 'raw'].includes(this.#options.transport);
    return climb({
      breaker: this.#process.breaker,
      confirmMs: serial ? 6_000 : 2_000,
      deadline,
      notBefore: this.#wentAt + GO_SETTLE_MS,
      stopped: (ms) => this.#until(() => this.#stopped(), ms),
      sent: () => {
        this.#breaksSent++;
      },
      remark: (text) => this.#remark(text),
    });
  }

  /** Breakpoints out of the guest's memory, and no kept break request that would freeze it after `qd`. */
  async #clearTheWay(by: Actor): Promise<void> {
    const cleared = this.#send('bc *', by, effectOf('bc *'));
    await Promise.race([cleared.settled, this.#until(() => this.#ended(), EXIT_MS)]);
    if (this.#breaksOwed === 0 || this.#status.state !== 'broken') return;
    const { generation } = this.#status;
    const went = await this.go(by);
    if (!went.ok) return;
    this.#breaksOwed = 0;
    const again = await this.waitForStop(generation, OWED_MS);
    if (!again.ok) await this.breakIn(by, EXIT_MS);
  }

  /** Ctrl+B leaves another debugger's session and changes nothing there (kd-behaviour.md §9.2). */
  async #leaveRemote(): Promise<KdExit> {
    this.#ending = { reason: 'left the remote session; its owner keeps the target', target: 'unknown' };
    this.#process.write('\u0002\n');
    if (!(await this.#until(() => this.#ended(), EXIT_MS / 2))) this.#process.kill();
    return this.exited;
  }

  #kill(reason: string, target: KdExit['target']): void {
    this.#ending ??= { reason, target };
    this.#process.kill();
  }

  /** Nothing more to wait for: at a prompt, at a question, or gone. */
  #stopped(): boolean {
    return ['broken', 'asking', 'ended'].includes(this.#status.state);
  }

  #ended(): boolean {
    return this.#status.state === 'ended';
  }

  #confirmed(): Confirmation {
    return this.#ended() ? { ok: false, reason: 'ended' } : { ok: true };
  }

  // ------------------------------------------------------------------------------------------------- bookkeeping

  /** True when `condition` holds, at the latest after `ms`. */
  #until(condition: () => boolean, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    if (ms <= 0 || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (result: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        signal?.removeEventListener('abort', abort);
        resolve(result);
      };
      const check = (): void => {
        if (condition()) finish(true);
      };
      const abort = (): void => finish(false);
      const timer = setTimeout(() => finish(false), ms);
      this.#waiters.add(check);
      signal?.addEventListener('abort', abort);
    });
  }

  #wake(): void {
    for (const check of [...this.#waiters]) check();
  }

  #event(event: TargetEvent, text: string): LastEvent {
    return { ...event, at: Date.now(), text: this.#redactor.redact(text).trim() } as LastEvent;
  }

  #setEvent(event: TargetEvent, text: string): void {
    this.#set({ lastEvent: this.#event(event, text) });
  }

  #notice(kind: Notice['kind'], text = NOTICE_TEXT[kind] ?? ''): void {
    const earlier = this.#status.notices.find((notice) => notice.kind === kind);
    const notice = { kind, text, at: Date.now(), count: (earlier?.count ?? 0) + 1 };
    this.#set({ notices: [...this.#status.notices.filter((other) => other !== earlier), notice] });
  }

  #remark(text: string): void {
    this.#emit({ kind: 'remark', text: `[KD-MCP] ${text}` });
  }

  #emit(piece: Parameters<EngineEvents['onTranscript']>[0]): void {
    this.#options.events.onTranscript(piece);
  }

  /** Changes the status; a key set to undefined is taken away. */
  #set(change: { readonly [K in keyof SessionStatus]?: SessionStatus[K] | undefined }): void {
    const next = { ...this.#status, ...change } as Mutable<SessionStatus>;
    for (const key of Object.keys(change) as (keyof SessionStatus)[])
      if (next[key] === undefined) delete next[key];
    if (change.state !== undefined && change.state !== this.#status.state) next.since = Date.now();
    this.#status = next;
    this.#dirty = true;
  }

  #publish(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#options.events.onStatus(this.#status);
  }
}

const FATAL = new Set<Notice['kind']>(['port-in-use', 'open-failed', 'needs-elevation']);

const NOTICE_TEXT: Partial<Record<Notice['kind'], string>> = {
  noise: 'kd repeats a harmless line about a port connector; it is left out of the output.',
  'owed-break':
    'An earlier break request stopped the target again right after it was resumed; it was resumed once more.',
};
