/**
 * One kd process and the truth about it: bytes in, state out; commands, break-in, go and the end.
 *
 * The state follows the byte stream, whoever caused it. "Halted" is only ever claimed on a marker (framing.ts).
 */
import { ActiveCommand } from './active-command.ts';
import { secretsTyped } from './arguments.ts';
import { believable } from './belief.ts';
import { BreakRequests } from './break-requests.ts';
import { effectOf, guestAfterLine, type LineEffect } from './command.ts';
import type { Transport } from './connection.ts';
import { ConsoleFeed, type Place } from './console-feed.ts';
import { end } from './ending.ts';
import type { Confirmation, EngineEvents, KdEngine, RunningCommand } from './engine.ts';
import type { ConsoleEvent } from './events.ts';
import { Joining } from './joining.ts';
import { Loss, type LossKind } from './loss.ts';
import type { Actor, CommandOutcome, KdExit, Notice, SessionStatus } from './model.ts';
import { NOISE_NOTICE, noticeFor, OWED_NOTICE } from './notices.ts';
import { actorOf, clientExit, endOf, Others, type OthersCommand } from './others.ts';
import { type KdProcess, startKd } from './process.ts';
import type { Question } from './prompts.ts';
import type { Redactor } from './redact.ts';
import { hasEnded, hasStopped, isHalted, lastEvent, StatusBoard } from './status-board.ts';
import { Stops } from './stops.ts';
import { withEvent } from './target.ts';

export interface SessionOptions {
  /** The debugger and its leading arguments. */
  readonly program: readonly [string, ...string[]];
  readonly args: readonly string[];
  /** Takes secrets out of all that is told. */
  readonly redactor: Redactor;
  readonly transport: Transport;
  /** An empty, private folder. */
  readonly workdir: string;
  /** Code page of kd's output; 65001 where there is no Windows. */
  readonly codePage?: number;
  /** kd cuts its console output here: take the text from its Unicode log (unicode-log.ts). */
  readonly unicodeLog?: boolean;
  /** What `-remote` names, where the transport is remote. */
  readonly remote?: string;
  readonly breakOnConnect: boolean;
  readonly startedBy: Actor;
  readonly events: EngineEvents;
}

/** kd refuses a `g` at once; after this it is taken to run. */
const GO_CONFIRM_MS = 300;
/** A step comes back at once, unless it ran into something that never returns. */
const STEP_CONFIRM_MS = 1_000;
/** How long kd may take to leave a question before breaks are sent. */
const CANCEL_MS = 3_000;
/** A line of another user is shown before it runs (real engine): so much later kd is asked whether it still is at its prompt. */
const OTHERS_MS = 250;
/** How often, each time twice as much later; a step is done at once, and is not told from one that is still to come. */
const OTHERS_TRIES = 3;
const PLAIN_GO = /^\s*g\s*$/i;
export class KdSession implements KdEngine {
  readonly exited: Promise<KdExit>;
  readonly #options: SessionOptions;
  readonly #process: KdProcess;
  readonly #redactor: Redactor;
  readonly #feed: ConsoleFeed;
  readonly #board: StatusBoard;
  readonly #stops = new Stops();
  readonly #breaks: BreakRequests;
  readonly #loss = new Loss((kind, line) => this.#lostTarget(kind, line));
  #resolveExit: (exit: KdExit) => void = () => {};
  #seq = 0;
  #command: ActiveCommand | undefined;
  #question: Question | undefined;
  #askedWhileRunning = false;
  #beforeBreak: SessionStatus | undefined;
  #confirm: NodeJS.Timeout | undefined;
  #leaving: Promise<void> | undefined;
  /** kd is a client of another debugger. */
  readonly #client: boolean;
  readonly #users = new Others();
  readonly #joining: Joining;
  /** The command of another user that was seen last, until something else happens. */
  #others: { readonly seq: number; readonly by: Actor } | undefined;
  /** The running command is another user's, and kd was asked so often. */
  #pending: { readonly command: ActiveCommand; readonly tries: number } | undefined;
  #expectedExit: Pick<KdExit, 'reason' | 'target'> | undefined;

  /** Starts kd. Never throws: what goes wrong is the session's end. */
  static start(options: SessionOptions): KdSession {
    return new KdSession(options);
  }

  private constructor(options: SessionOptions) {
    this.#options = options;
    this.#redactor = options.redactor;
    this.#client = options.transport === 'remote';
    this.#joining = new Joining(this.#client, () => this.#joinedQuietly());
    const { remote } = options;
    if (remote !== undefined) this.#users.expect(remote);
    this.#feed = this.#openFeed();
    this.exited = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
    this.#board = new StatusBoard(
      {
        state: 'starting',
        since: Date.now(),
        linked: false,
        generation: 0,
        target: {},
        breakOnConnect: options.breakOnConnect,
        notices: [],
      },
      options.events.onStatus,
    );
    this.#breaks = new BreakRequests({
      board: this.#board,
      stops: this.#stops,
      breaker: () => this.#process.breaker,
      transport: options.transport,
      remark: (text) => this.#remark(text),
    });
    if (options.breakOnConnect) this.#stops.breakWanted(options.startedBy);
    this.#process = startKd(
      { program: options.program, args: options.args, workdir: options.workdir },
      { onBytes: (bytes) => this.#feed.received(bytes), onExit: (code, error) => this.#exit(code, error) },
    );
  }

  get status(): SessionStatus {
    return this.#board.status;
  }

  /** Process id of kd; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  run(text: string, by: Actor): RunningCommand {
    if (this.#leaving) throw new Error('kd takes no command: the session is ending');
    return this.#run(text, by);
  }

  #run(text: string, by: Actor): RunningCommand {
    if (this.status.state !== 'broken') throw new Error(`kd takes no command while ${this.status.state}`);
    return this.#send(text, by, effectOf(text));
  }

  answer(text: string, by: Actor): RunningCommand {
    if (this.status.state !== 'asking') throw new Error(`kd asks nothing while ${this.status.state}`);
    this.#feed.answering();
    this.#question = undefined;
    const resumes = this.#askedWhileRunning;
    const effect = { resumes, mayResume: resumes, steps: false, endsSession: false, reboots: false };
    return this.#send(text, by, effect);
  }

  async go(by: Actor): Promise<Confirmation> {
    return this.#leaving ? { ok: false, reason: 'wrong-state' } : this.#go(by);
  }

  async #go(by: Actor): Promise<Confirmation> {
    if (this.status.state !== 'broken') return { ok: false, reason: 'wrong-state' };
    const { generation } = this.status;
    const { outcome, error } = await this.#send('g', by, effectOf('g')).settled;
    // A target that asks has run.
    if (outcome === 'resumed' || outcome === 'lost' || outcome === 'asking') return { ok: true };
    if (this.status.generation > generation) return { ok: true };
    if (outcome === 'ended') return { ok: false, reason: 'ended' };
    return { ok: false, reason: 'refused', ...(error === undefined ? {} : { text: error }) };
  }

  async breakIn(by: Actor, timeoutMs: number): Promise<Confirmation> {
    if (!this.#leaving) return this.#breakIn(by, timeoutMs);
    // A request now would stop the guest again behind `qd`, with no debugger left (kd-behaviour.md §5.3).
    return this.#confirmation(await this.#board.until(hasEnded, timeoutMs));
  }

  async #breakIn(by: Actor, timeoutMs: number): Promise<Confirmation> {
    const deadline = Date.now() + timeoutMs;
    if (this.status.state !== 'breaking') this.#beforeBreak = this.status;
    switch (this.status.state) {
      case 'ended':
      case 'broken':
        return this.#confirmation(true);
      case 'asking':
        if (await this.#cancelQuestion(by, Math.min(timeoutMs, CANCEL_MS))) return this.#confirmation(true);
        break;
      case 'starting':
      case 'waiting':
        if (!this.status.linked) {
          const { generation } = this.status;
          this.#breaks.wantAtConnect(by);
          return this.waitForStop(generation, timeoutMs);
        }
        this.#board.set({ state: 'breaking' });
        break;
      case 'busy':
        if (this.#command) this.#command.interrupted = true;
        break;
      case 'running':
      case 'breaking':
        this.#board.set({ state: 'breaking' });
        break;
    }
    this.#stops.breakWanted(by);
    this.#board.publish();
    await this.#breaks.until(deadline);
    if (this.status.state === 'breaking' && !this.#breaks.wanted) this.#unanswered();
    return this.#confirmation(hasStopped(this.status));
  }

  /** The time of the last who waited is over: as far as anybody knows, the target does what it did before. */
  #unanswered(): void {
    const { state, since, lastEvent } = this.#beforeBreak ?? this.status;
    const same = state === 'running' || (state === 'waiting' && lastEvent === this.status.lastEvent);
    this.#board.set({
      ...(same ? { state, since } : { state: 'running' }),
      unanswered: this.status.unanswered ?? Date.now(),
    });
    this.#board.publish();
  }

  async waitForStop(generation: number, timeoutMs: number, signal?: AbortSignal): Promise<Confirmation> {
    const come = (status: SessionStatus): boolean =>
      status.generation > generation || status.state === 'asking';
    await this.#board.until((status) => come(status) || hasEnded(status), timeoutMs, signal);
    if (come(this.status)) return { ok: true };
    return { ok: false, reason: hasEnded(this.status) ? 'ended' : 'timeout' };
  }

  keepSecret(secret: string): void {
    this.#redactor.add(secret);
  }

  redact(text: string): string {
    return this.#redactor.redact(text);
  }

  expectOthers(server: string): void {
    this.#users.expect(server);
  }

  async quit(guest: 'resume' | 'leave_frozen', by: Actor, first: readonly string[] = []): Promise<KdExit> {
    this.#leaving ??= end(
      {
        board: this.#board,
        stops: this.#stops,
        transport: this.#options.transport,
        breakIn: (who, ms) => this.#breakIn(who, ms),
        run: (text, who) => this.#run(text, who),
        go: (who) => this.#go(who),
        write: (text) => this.#process.write(text),
        expectExit: (reason, target) => {
          this.#expectedExit = { reason, target };
        },
        kill: (reason, target) => this.#kill(reason, target),
      },
      guest,
      by,
      first,
    );
    await this.#leaving;
    return this.exited;
  }

  kill(reason: string): void {
    // What kd was told to do before its end may have happened or not.
    this.#kill(reason, this.#expectedExit ? 'unknown' : this.#targetNow());
  }

  // ------------------------------------------------------------------------------------------------- input from kd

  #openFeed(): ConsoleFeed {
    const { codePage = 65001, unicodeLog, workdir } = this.#options;
    return new ConsoleFeed(
      { codePage, redactor: this.#redactor, logFolder: unicodeLog ? workdir : undefined },
      {
        place: () => PLACES[this.status.state],
        command: () => this.#command?.text,
        write: (text) => this.#process.write(text),
        shared: () => this.#users.possible && this.#joining.done,
        owners: (line) => (this.#atOwnersPrompt ? this.#users.command(line, true) : undefined),
        onText: (text) => this.#printed(text),
        onEvent: (event, line) => this.#happened(event, line),
        onNoise: () => this.#board.notice('noise', NOISE_NOTICE),
        onPrompt: (prompt) => this.#prompted(prompt),
        onQuestion: (question) => this.#asked(question),
        onNoQuestion: () => this.#notAsked(),
        onRemark: (text) => this.#remark(text),
        onSettled: () => this.#board.publish(),
      },
    );
  }

  #happened(event: ConsoleEvent, line: string): void {
    if (!this.#joining.done && event.kind !== 'version') {
      if (event.kind === 'user-connected' && this.#users.knows(event.user)) this.#joining.announced();
      return;
    }
    if (event.kind === 'linked' || event.kind === 'established') this.#loss.confirm();
    if (!believable(event, this.status)) return;
    const { state } = this.status;
    const effect = this.#command?.effect;
    const target = withEvent(this.status.target, event);
    if (target !== this.status.target) this.#board.set({ target });
    if (state !== 'broken' && (state !== 'busy' || effect?.mayResume || effect?.reboots))
      this.#stops.saw(event, line);
    const notice = noticeFor(event, line);
    if (notice) this.#board.notice(notice.kind, notice.text);
    switch (event.kind) {
      case 'version':
        this.#board.set({ kdVersion: event.version });
        break;
      case 'waiting':
        this.#waits();
        break;
      case 'linked':
        this.#board.set({ linked: true });
        this.#breaks.linked();
        break;
      case 'established':
        if (this.status.state === 'waiting' || this.status.state === 'starting')
          this.#board.set({ state: 'running' });
        this.#board.set({ linked: true, lastEvent: lastEvent({ kind: 'connected' }, line) });
        this.#breaks.linked();
        break;
      case 'hard-reset':
        this.#loss.hardReset();
        break;
      case 'shutdown':
        this.#loss.shutdown(line);
        break;
      case 'link-trouble':
        // In the middle of a command it does not take the place of what stopped the target.
        if (!isHalted(this.status)) this.#board.set({ lastEvent: lastEvent({ kind: 'link-lost' }, line) });
        break;
      case 'user-connected':
        if (this.#users.knows(event.user)) this.#options.events.onOther?.(event.user, 'connected');
        break;
      case 'user-command':
        if (this.#users.knows(event.user)) this.#othersRun(event);
        break;
      case 'command-error':
      case 'interrupted':
        if (this.#command && this.#command.error === undefined) this.#command.error = line.trim();
        break;
      default:
        break;
    }
  }

  // ------------------------------------------------------------------------------------------------- other users

  /** Another debugger's session was entered, and its target is not halted. */
  #joinedQuietly(): void {
    if (this.status.state !== 'starting') return;
    this.#board.set({ state: 'running', linked: true, lastEvent: lastEvent({ kind: 'connected' }, '') });
    if (this.status.breakOnConnect) this.#breaks.request();
    this.#board.publish();
  }

  get #atOwnersPrompt(): boolean {
    return this.#client && this.#joining.done && this.status.state === 'broken';
  }

  #printed(whole: string): void {
    // What others type is seen here first, and so are the passwords of their servers.
    if (this.#users.possible) for (const secret of secretsTyped(whole)) this.#redactor.add(secret);
    const text = this.#redactor.redact(whole);
    this.#joining.printed(text);
    const parts = this.#joining.done ? this.#users.split(text, this.#atOwnersPrompt) : [{ text }];
    for (const part of parts) {
      if (part.command === undefined) this.#emit({ kind: 'kd', text: part.text });
      else this.#othersLine(part.text, part.command);
    }
  }

  /** It gets its place in the index of commands, with its origin. */
  #othersLine(shown: string, { user, command }: OthersCommand): void {
    this.#othersEnd();
    const by = actorOf(user);
    const seq = ++this.#seq;
    this.#others = { seq, by };
    this.#emit({ kind: 'command', text: command, shown, by, seq });
    this.#options.events.onCommandStart(seq);
  }

  /** What comes now is no output of it any more. */
  #othersEnd(): void {
    const others = this.#others;
    this.#others = undefined;
    if (others !== undefined) this.#options.events.onCommandEnd(others.seq, 'done', undefined);
  }

  /** Of what others do only what moves the target concerns the state: it is as if it had been sent from here. */
  #othersRun(sent: OthersCommand): void {
    const { user, command } = sent;
    this.#options.events.onOther?.(user, 'command');
    const ends = endOf(sent, this.#client);
    if (ends !== undefined) this.#expectedExit = ends;
    const effect = effectOf(command);
    if (!effect.mayResume && !effect.reboots) return;
    const by = actorOf(user);
    // A person who steps is faster than the question whether the last step is over.
    if (this.#pending !== undefined && this.#pending.command === this.#command) this.#settle('done');
    const { state } = this.status;
    if (state !== 'broken' && state !== 'busy') return;
    this.#stops.resumed(PLAIN_GO.test(command), effect.steps ? by : undefined);
    if (this.#command !== undefined) {
      // It ran between a command from here and that command's marker.
      if (effect.resumes) this.#confirmLater(this.#command);
      return;
    }
    const seq = this.#others?.seq ?? ++this.#seq;
    this.#others = undefined;
    const active = new ActiveCommand(seq, command, effect);
    this.#command = active;
    this.#board.set({ state: 'busy', command: { seq, text: command, by, since: Date.now() } });
    this.#pending = { command: active, tries: 0 };
    this.#askLater(active, OTHERS_MS);
  }

  #askLater(command: ActiveCommand, ms: number): void {
    clearTimeout(this.#confirm);
    this.#confirm = setTimeout(() => {
      this.#feed.prove();
      if (command.effect.resumes) this.#confirmLater(command);
    }, ms);
  }

  /** kd is at its prompt; but the command of another user may be about to run. */
  #mayStillRun(command: ActiveCommand | undefined): boolean {
    const pending = this.#pending;
    if (pending === undefined || command === undefined || pending.command !== command) return false;
    const last = command.effect.steps ? 1 : OTHERS_TRIES;
    const tries = pending.tries + 1;
    if (tries >= last || command.error !== undefined || this.#stops.hasEvidence) return false;
    this.#pending = { command, tries };
    this.#askLater(command, OTHERS_MS * 2 ** tries);
    return true;
  }

  // ------------------------------------------------------------------------------------------------- transitions

  /** The marker came: kd is at its prompt, and has been since that prompt was printed. */
  #prompted(prompt: string): void {
    this.#joining.proved();
    if (this.#mayStillRun(this.#command)) return;
    this.#othersEnd();
    this.#emit({ kind: 'prompt', text: this.#redactor.redact(prompt) });
    clearTimeout(this.#confirm);
    this.#loss.dismiss();
    const command = this.#command;
    const theirs = command !== undefined && this.#pending?.command === command && !command.effect.steps;
    const ran =
      command === undefined
        ? !isHalted(this.status)
        : theirs
          ? this.#stops.hasEvidence
          : command.mayHaveRun(this.#stops.hasEvidence);
    const refused = command?.error !== undefined && !this.#stops.hasEvidence;
    this.#question = undefined;
    if (ran && !refused && this.#stops.takeEcho()) {
      this.#resumeEcho(command);
      return;
    }
    this.#board.set({
      state: 'broken',
      prompt: this.#redactor.redact(prompt.trimEnd()),
      question: undefined,
    });
    if (ran && !refused) {
      const halt = this.#stops.stopped();
      const generation = this.status.generation + 1;
      this.#board.set({
        generation,
        halt,
        lastEvent: halt.event,
        breakOnConnect: false,
        linked: true,
        unanswered: undefined,
      });
    } else {
      this.#stops.stayed();
      if (this.status.halt === undefined) this.#haltedBy('unknown', '');
    }
    this.#settle(command?.interrupted === true && !ran ? 'interrupted' : 'done');
  }

  /** "Waiting to reconnect...": at the start, or after a shutdown. */
  #waits(): void {
    const { state } = this.status;
    if (state === 'starting' || state === 'waiting') {
      this.#board.set({ state: 'waiting', linked: false });
      if (this.status.breakOnConnect) this.#breaks.request();
    } else {
      this.#loss.waits();
    }
  }

  #resumeEcho(command: ActiveCommand | undefined): void {
    this.#board.notice('owed-break', OWED_NOTICE);
    this.#remark('an earlier break request stopped the target again; it was resumed once');
    this.#stops.resumed(true);
    this.#board.set({ state: command ? 'busy' : 'running', prompt: undefined });
    this.#process.write('g\n');
    if (command) this.#confirmLater(command);
  }

  #lostTarget(kind: LossKind, line: string): void {
    this.#stops.lost();
    clearTimeout(this.#confirm);
    const { linkAddress } = this.status.target;
    this.#board.set({
      state: 'waiting',
      linked: false,
      prompt: undefined,
      halt: undefined,
      question: undefined,
      unanswered: undefined,
      target: linkAddress === undefined ? {} : { linkAddress },
      lastEvent: lastEvent({ kind }, line),
    });
    this.#settle('lost');
    this.#board.publish();
  }

  #asked(question: Question): void {
    this.#askedWhileRunning = this.#command?.effect.resumes ?? !isHalted(this.status);
    this.#question = question;
    clearTimeout(this.#confirm);
    const text = this.#redactor.redact(question.text);
    this.#board.set({ state: 'asking', question: text });
    if (this.status.halt === undefined) this.#haltedBy('target', text);
    this.#settle('asking');
  }

  #notAsked(): void {
    this.#question = undefined;
    if (this.#askedWhileRunning) this.#board.set({ state: 'running', halt: undefined });
    else this.#board.set({ state: 'busy' });
    this.#board.set({ question: undefined });
  }

  #haltedBy(kind: 'target' | 'unknown', text: string): void {
    this.#board.set({
      halt: { since: Date.now(), cause: { kind }, event: lastEvent({ kind: 'stop' }, text) },
    });
  }

  #exit(code: number | null, error: Error | undefined): void {
    if (hasEnded(this.status)) return;
    this.#feed.end();
    this.#othersEnd();
    clearTimeout(this.#confirm);
    this.#joining.dispose();
    this.#breaks.dispose();
    this.#loss.dismiss();
    const failure = this.status.notices.find(({ kind }) => FATAL.has(kind));
    const early = this.status.generation === 0 && !this.status.linked;
    const itself = this.#client
      ? clientExit(this.#joining.done, code, this.#joining.words)
      : `kd ended by itself (exit code ${code ?? 'unknown'})`;
    const line = this.#command?.text.trim() ?? '';
    const asked =
      error === undefined && this.#expectedExit === undefined && !this.#client
        ? guestAfterLine(line)
        : undefined;
    const exit: KdExit = {
      code: code === null ? null : code >>> 0,
      at: Date.now(),
      reason: error
        ? this.#redactor.redact(`kd could not be started: ${error.message}`)
        : (this.#expectedExit?.reason ??
          (early ? failure?.text : undefined) ??
          (asked === undefined ? itself : `kd was ended by its command ${this.#redactor.redact(line)}`)),
      target: this.#expectedExit?.target ?? asked ?? this.#targetNow(),
      ...(asked === undefined && !(this.#client && this.#leaving) ? {} : { asked: true }),
    };
    this.#board.set({ state: 'ended', prompt: undefined, question: undefined, exit });
    this.#settle('ended');
    this.#board.publish();
    this.#resolveExit(exit);
  }

  // ------------------------------------------------------------------------------------------------- output to kd

  #send(text: string, by: Actor, effect: LineEffect): RunningCommand {
    const seq = ++this.#seq;
    const shown = this.#redactor.redact(text);
    const command = new ActiveCommand(seq, text, effect);
    this.#command = command;
    this.#feed.sending(text);
    if (this.#others !== undefined) {
      this.#othersEnd();
      this.#emit({ kind: 'prompt', text: `${this.status.prompt ?? ''} ` });
    }
    this.#emit({ kind: 'command', text: shown, by, seq });
    this.#options.events.onCommandStart(seq);
    this.#board.set({
      state: 'busy',
      command: { seq, text: shown, by, since: Date.now() },
      question: undefined,
    });
    this.#process.write(`${text}\n`);
    if (effect.mayResume || effect.reboots)
      this.#stops.resumed(PLAIN_GO.test(text), effect.steps ? by : undefined);
    if (effect.resumes) this.#confirmLater(command);
    this.#board.publish();
    return command;
  }

  /** A resuming command that has neither failed nor stopped again by then lets the target run. */
  #confirmLater(command: ActiveCommand): void {
    clearTimeout(this.#confirm);
    const check = (): void => {
      if (this.#command !== command || this.status.state !== 'busy') return;
      if (this.#feed.proving) {
        this.#confirmLater(command);
        return;
      }
      this.#board.set({
        state: this.#breaks.wanted ? 'breaking' : 'running',
        prompt: undefined,
        halt: undefined,
      });
      this.#settle('resumed');
      this.#board.publish();
    };
    this.#confirm = setTimeout(check, command.effect.steps ? STEP_CONFIRM_MS : GO_CONFIRM_MS);
  }

  #settle(outcome: CommandOutcome): void {
    const command = this.#command;
    if (!command) return;
    this.#command = undefined;
    this.#pending = undefined;
    this.#board.set({ command: undefined });
    this.#options.events.onCommandEnd(command.seq, outcome, command.error);
    command.settle(outcome);
  }

  // ------------------------------------------------------------------------------------------------- break-in

  /**
   * Answers a question so that kd comes to its prompt. False: it did not, or there is no such answer: a target that
   * runs may have printed the words, and kd repeats its last command for an empty line that it reads later.
   */
  #cancelQuestion(by: Actor, timeoutMs: number): Promise<boolean> {
    const cancel = this.#question?.cancel ?? '';
    this.#question = undefined;
    this.#feed.answering();
    if (this.#askedWhileRunning) this.#stops.breakWanted(by);
    this.#board.set({ state: this.#askedWhileRunning ? 'breaking' : 'busy', question: undefined });
    this.#board.publish();
    if (this.#askedWhileRunning && cancel === '') return Promise.resolve(false);
    this.#process.write(`${cancel}\n`);
    return this.#board.until(hasStopped, timeoutMs);
  }

  #confirmation(stopped: boolean): Confirmation {
    if (hasEnded(this.status)) return { ok: false, reason: 'ended' };
    return stopped ? { ok: true } : { ok: false, reason: 'timeout' };
  }

  // ------------------------------------------------------------------------------------------------- the end

  #kill(reason: string, target: KdExit['target']): void {
    if (hasEnded(this.status)) return;
    this.#expectedExit = { reason, target };
    this.#process.kill();
  }

  #targetNow(): KdExit['target'] {
    const { state, linked, unanswered } = this.status;
    if (this.#client) return this.#joining.done ? 'unknown' : 'absent';
    if (isHalted(this.status)) return 'halted';
    // It may have reached the target, which then stands still behind kd's end.
    if (state === 'breaking' || unanswered !== undefined) return 'unknown';
    return (state === 'waiting' || state === 'starting') && !linked ? 'absent' : 'running';
  }

  #remark(text: string): void {
    this.#emit({ kind: 'remark', text: `[KD-MCP] ${text}` });
  }

  #emit(piece: Parameters<EngineEvents['onTranscript']>[0]): void {
    this.#options.events.onTranscript(piece);
  }
}

const PLACES: Readonly<Record<SessionStatus['state'], Place>> = {
  starting: 'starting',
  waiting: 'working',
  running: 'working',
  breaking: 'working',
  busy: 'working',
  broken: 'prompt',
  asking: 'asking',
  ended: 'elsewhere',
};

/** What keeps kd from starting at all. */
const FATAL = new Set<Notice['kind']>(['port-in-use', 'needs-elevation', 'open-failed']);
