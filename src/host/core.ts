/**
 * One session as its host knows it: the engine, and around it what the engine does not care about — transcript, who is
 * connected, whose halt it is, which breakpoints were set. Requests are in `commands.ts` and `run-control.ts`.
 */
import type { EngineEvents, KdEngine, TranscriptPiece } from '../kd/engine.ts';
import {
  type Actor,
  type CommandOutcome,
  HALTED_STATES,
  type Halt,
  type HaltCause,
  type LastEvent,
  type SessionStatus,
} from '../kd/model.ts';
import { actorOf } from '../kd/others.ts';
import { BreakpointMemory } from './breakpoint-memory.ts';
import { touchesBreakpoints } from './breakpoints.ts';
import type { Clock } from './clock.ts';
import { CommandTraces } from './command-traces.ts';
import type { Disposable } from './disposable.ts';
import type { GuestDuty, GuestRules } from './guest.ts';
import { GuestKeeper } from './keeper.ts';
import { Permission } from './permission.ts';
import type { Limits, SessionInfo } from './protocol.ts';
import { type ClientLink, HOST_ACTOR, REMARK, type SessionFacts } from './session-parts.ts';
import { SharedServer, usersIn } from './sharing.ts';
import { roleOf, type Transcript } from './transcript.ts';
import { Turns } from './turns.ts';

export interface CoreOptions {
  readonly facts: SessionFacts;
  readonly transcript: Transcript;
  readonly rules: GuestRules;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly onDuty: (duty: GuestDuty) => void;
  /** State, halt or pin changed: the record is to be written. */
  readonly onRecord: () => void;
  /** Something could not be written; the session goes on. */
  readonly onError: (error: unknown) => void;
}

/** A command that takes no longer is over before anybody can see that it runs. */
const BUSY_MS = 10;
/** A listing of breakpoints is not longer. */
const MAX_LISTING_BYTES = 64 * 1024;

export class SessionCore implements Disposable {
  readonly facts: SessionFacts;
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly turns = new Turns();
  readonly keeper: GuestKeeper;
  readonly clients = new Set<ClientLink>();
  readonly traces: CommandTraces;
  readonly breakpoints = new BreakpointMemory();
  readonly permission: Permission;
  readonly sharing = new SharedServer();
  readonly #onRecord: () => void;
  readonly #onError: (error: unknown) => void;
  #engine: KdEngine | undefined;
  #seen: { generation: number; halted: boolean; busy: boolean; event: LastEvent | undefined } | undefined;
  /** Grows when somebody asks for a halt: who resumes after an own break must not take it from them. */
  haltRequests = 0;
  /** Set by a stop, with what was asked for: nothing new is sent to kd. `keep`: by the host itself, frozen for a person. */
  stopping: 'resume' | 'leave_frozen' | 'keep' | undefined;

  constructor(options: CoreOptions) {
    this.facts = options.facts;
    this.transcript = options.transcript;
    this.clock = options.clock;
    this.permission = new Permission(options.limits, options.facts.symbolPath);
    this.traces = new CommandTraces(options.transcript, options.clock, options.facts.commandIndex, (text) =>
      this.redact(text),
    );
    this.#onRecord = options.onRecord;
    this.#onError = options.onError;
    this.keeper = new GuestKeeper(options.rules, options.clock, options.onDuty);
  }

  /** What the engine calls. Give it to the engine, then give the engine to {@link attachEngine}. */
  readonly events: EngineEvents = {
    onTranscript: (piece) => this.#guarded(() => this.#append(piece)),
    onStatus: (status) => this.#guarded(() => this.#statusChanged(status)),
    onCommandStart: (seq) => this.#guarded(() => this.traces.started(seq)),
    onCommandEnd: (seq, outcome, error) => this.#guarded(() => this.#commandEnds(seq, outcome, error)),
    onOther: (user, did) => this.#guarded(() => this.#other(user, did)),
  };

  /** A full disk or a deleted home must not reach the engine, which may be about to tell kd's end. */
  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#onError(error);
    }
  }

  attachEngine(engine: KdEngine): void {
    this.#engine = engine;
    this.#statusChanged(engine.status);
  }

  get engine(): KdEngine {
    if (this.#engine === undefined) throw new Error('The engine has not started');
    return this.#engine;
  }

  /** Takes secrets out of what a client sent, before it is told to anybody. */
  redact(text: string): string {
    return this.engine.redact(text);
  }

  get status(): SessionStatus {
    return this.engine.status;
  }

  /** Is the guest frozen? */
  get halted(): boolean {
    return HALTED_STATES.includes(this.status.state);
  }

  // ------------------------------------------------------------------------------------------------ transcript

  #append(piece: TranscriptPiece): void {
    const appended = this.transcript.append(piece);
    this.traces.appended(piece, appended);
    const { from, to, text } = appended;
    if (text === '') return;
    const role = roleOf(piece);
    for (const client of this.clients) client.appended(from, to, text, role);
  }

  /** Writes a remark into the transcript and tells everybody. */
  remark(text: string, by: Actor = HOST_ACTOR): void {
    const prompt = this.traces.atPrompt ? this.status.prompt : undefined;
    this.#append({ kind: 'remark', text: `${REMARK} ${text}` });
    // What comes next stands behind a prompt, as before.
    if (prompt !== undefined) this.#append({ kind: 'prompt', text: `${prompt} ` });
    for (const client of this.clients) client.announce(text, by);
  }

  #commandEnds(seq: number, outcome: CommandOutcome, error: string | undefined): void {
    const trace = this.traces.ended(seq, outcome, error);
    if (trace === undefined || error !== undefined) return;
    const listing = (): { readonly text: string } => {
      const { from, to = from } = trace;
      return this.transcript.read(from, Math.min(MAX_LISTING_BYTES, to - from));
    };
    const server = /^\s*\.server\s+(\S+)/i.exec(trace.text)?.[1];
    if (server !== undefined) this.engine.expectOthers(server);
    if (/^\s*\.clients\s*$/i.test(trace.text)) {
      this.sharing.listed(usersIn(listing().text), this.clock.wall());
      this.#sharingChanged();
    }
    if (!touchesBreakpoints(trace.text)) return;
    const output = listing();
    this.breakpoints.executed(trace.text, trace.by, output.text);
    this.#onRecord();
    this.tellChanged();
  }

  /** Somebody at another debugger connected, or sent a command: a halt that they use is theirs. */
  #other(user: string, did: 'connected' | 'command'): void {
    if (did === 'command') {
      this.keeper.dispatch({ kind: 'activity' });
      this.claim(actorOf(user));
    } else {
      this.sharing.came(user, this.clock.wall());
      this.#sharingChanged();
    }
  }

  #sharingChanged(): void {
    this.#onRecord();
    this.tellChanged();
  }

  // ------------------------------------------------------------------------------------------------ state

  #statusChanged(status: SessionStatus): void {
    if (this.#engine === undefined) return;
    const before = this.#seen;
    const halted = HALTED_STATES.includes(status.state);
    const busy = status.state === 'busy';
    this.#seen = { generation: status.generation, halted, busy, event: status.lastEvent };
    if (status.lastEvent !== before?.event && status.lastEvent !== undefined)
      this.#targetEvent(status.lastEvent);
    if (halted && (before?.halted !== true || before.generation !== status.generation)) {
      this.keeper.dispatch({
        kind: 'halted',
        generation: status.generation,
        cause: this.#causeOf(status),
        step: status.lastEvent?.kind === 'step',
      });
    } else if (!halted && before?.halted === true && status.state !== 'ended') {
      // With kd's end a halt does not end: whose it was decides who may resume the guest later.
      this.keeper.dispatch({ kind: 'running' });
    }
    if (busy !== (before?.busy ?? false)) this.keeper.dispatch({ kind: 'busy', busy });
    this.tellChanged();
    this.#onRecord();
  }

  #targetEvent(event: LastEvent): void {
    switch (event.kind) {
      case 'bugcheck':
        this.keeper.dispatch({ kind: 'bugcheck' });
        break;
      case 'reboot':
      case 'hard-reset':
        this.keeper.dispatch({ kind: 'restarted' });
        this.#breakpointsLost();
        break;
      default:
        break;
    }
  }

  #breakpointsLost(): void {
    const text = this.breakpoints.targetRestarted(this.clock.wall());
    if (text !== undefined) this.remark(text);
  }

  /** The engine knows who asked for a break. Whose breakpoint it was is known here. */
  #causeOf(status: SessionStatus): HaltCause {
    const event = status.lastEvent;
    // Should the rescuer be gone, it ends as an agent's halt does.
    if (this.facts.rescues === true && status.generation === 1)
      return { kind: 'agent', name: this.facts.startedBy.name };
    const cause = status.halt?.cause ?? { kind: 'unknown' };
    // Nobody here asked for it, so somebody at another debugger did.
    const [other] = this.sharing.attached;
    if (event?.kind === 'break-in' && cause.kind === 'unknown' && other !== undefined) return actorOf(other);
    if (event?.kind !== 'breakpoint') return cause;
    return this.breakpoints.ownerOf(event.number) ?? { kind: 'target' };
  }

  /** The halt with the cause as this host knows it. */
  get halt(): Halt | undefined {
    const halt = this.status.halt;
    const cause = this.keeper.state.halt?.cause;
    return halt === undefined || cause === undefined ? halt : { ...halt, cause };
  }

  /** A person's command makes the halt theirs. */
  claim(by: Actor): void {
    if (by.kind !== 'person' || !this.halted) return;
    this.keeper.dispatch({ kind: 'claimed', cause: by });
    this.#onRecord();
  }

  /** State, halt or pin are other ones now. */
  recordChanged(): void {
    this.#onRecord();
  }

  // ------------------------------------------------------------------------------------------------ clients

  connect(client: ClientLink): void {
    this.clients.add(client);
    this.#clientsChanged();
  }

  disconnect(client: ClientLink): void {
    if (this.clients.delete(client)) this.#clientsChanged();
  }

  #clientsChanged(): void {
    const persons = [...this.clients].filter((client) => client.identity.kind === 'person').length;
    this.keeper.dispatch({ kind: 'clients', clients: this.clients.size, persons });
    this.tellChanged();
  }

  #tell: NodeJS.Immediate | undefined;
  #tellBusy: NodeJS.Timeout | undefined;

  /** Everybody learns of the new state at the end of this turn, but not that kd is busy for a moment. */
  tellChanged(): void {
    if (this.#engine?.status.state === 'busy') this.#tellBusy ??= setTimeout(() => this.#tellNow(), BUSY_MS);
    else this.#tell ??= setImmediate(() => this.#tellNow());
  }

  #tellNow(): void {
    this.#tellNothing();
    for (const client of this.clients) client.changed();
  }

  #tellNothing(): void {
    clearImmediate(this.#tell);
    clearTimeout(this.#tellBusy);
    this.#tell = undefined;
    this.#tellBusy = undefined;
  }

  info(): SessionInfo {
    const { facts, keeper } = this;
    const status = this.status;
    const halt = this.halt;
    const { pinnedBy, controlledBy } = keeper.state;
    const leaseEndsAt = keeper.leaseEndsAt;
    const kdPid = this.engine.pid;
    const { notice, lost, list } = this.breakpoints;
    const sharing = this.sharing.shown;
    return {
      id: facts.id,
      title: facts.title,
      transport: facts.transport,
      startedAt: facts.startedAt,
      startedBy: facts.startedBy,
      ...(facts.guestHost === undefined ? {} : { guestHost: facts.guestHost }),
      kdProgram: facts.kdProgram,
      ...(kdPid === undefined ? {} : { kdPid }),
      hostPid: process.pid,
      status: {
        ...status,
        ...(halt === undefined ? {} : { halt }),
        notices: notice === undefined ? status.notices : [...status.notices, notice],
      },
      ...(leaseEndsAt === undefined ? {} : { leaseEndsAt }),
      ...(pinnedBy === undefined ? {} : { pinnedBy }),
      ...(controlledBy === undefined ? {} : { controlledBy }),
      level: this.permission.level,
      clients: [...this.clients].map(({ identity, since }) => ({ identity, since })),
      queued: this.turns.length,
      transcriptPath: this.transcript.path,
      transcriptEnd: this.transcript.end,
      lostBreakpoints: lost,
      breakpoints: list,
      ...(sharing === undefined ? {} : { sharing }),
    };
  }

  dispose(): void {
    this.#tellNothing();
    this.keeper.dispose();
    this.traces.dispose();
    this.transcript.dispose();
  }
}
