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
  type Notice,
  type SessionStatus,
} from '../kd/model.ts';
import { afterCommand, type Breakpoint, touchesBreakpoints } from './breakpoints.ts';
import type { Clock } from './clock.ts';
import { appendCommand } from './command-index.ts';
import type { Disposable } from './disposable.ts';
import type { GuestDuty, GuestRules } from './guest.ts';
import { GuestKeeper } from './keeper.ts';
import type { ClientIdentity, OutputRole, SessionInfo } from './protocol.ts';
import type { Transcript } from './transcript.ts';
import { Turns } from './turns.ts';

/** A client, as the session sees it. */
export interface ClientLink {
  readonly identity: ClientIdentity;
  readonly since: number;
  /** {@link SessionCore.info} is another one now. */
  changed(): void;
  announce(text: string, by: Actor): void;
  appended(from: number, to: number, text: string, role: OutputRole): void;
}

/** What never changes about a session. */
export interface SessionFacts {
  readonly id: string;
  readonly title: string;
  readonly transport: SessionInfo['transport'];
  readonly startedAt: number;
  readonly startedBy: ClientIdentity;
  readonly guestHost?: string;
  readonly kdProgram: string;
  readonly commandIndex: string;
}

/** Where a command's output is. */
export interface CommandTrace {
  readonly seq: number;
  readonly text: string;
  readonly by: Actor;
  readonly at: number;
  from: number;
  to?: number;
}

export interface CoreOptions {
  readonly facts: SessionFacts;
  readonly transcript: Transcript;
  readonly rules: GuestRules;
  readonly clock: Clock;
  readonly onDuty: (duty: GuestDuty) => void;
  /** State, halt or pin changed: the record is to be written. */
  readonly onRecord: () => void;
}

/** The engine's remarks and the host's own begin like this. */
export const REMARK = '[KD-MCP]';
export const HOST_ACTOR: Actor = { kind: 'host', name: 'KD-MCP' };

export class SessionCore implements Disposable {
  readonly facts: SessionFacts;
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly turns = new Turns();
  readonly keeper: GuestKeeper;
  readonly clients = new Set<ClientLink>();
  readonly traces = new Map<number, CommandTrace>();
  readonly #onRecord: () => void;
  #engine: KdEngine | undefined;
  #breakpoints: readonly Breakpoint[] = [];
  #lost: readonly string[] = [];
  #lostNotice: Notice | undefined;
  #seen: { generation: number; halted: boolean; busy: boolean; event: LastEvent | undefined } | undefined;
  /** Grows when somebody asks for a halt: who resumes after an own break must not take it from them. */
  haltRequests = 0;
  /** Set by a stop, with what was asked for: nothing new is sent to kd. */
  stopping: 'resume' | 'leave_frozen' | undefined;

  constructor(options: CoreOptions) {
    this.facts = options.facts;
    this.transcript = options.transcript;
    this.clock = options.clock;
    this.#onRecord = options.onRecord;
    this.keeper = new GuestKeeper(options.rules, options.clock, options.onDuty);
  }

  /** What the engine calls. Give it to the engine, then give the engine to {@link attachEngine}. */
  readonly events: EngineEvents = {
    onTranscript: (piece) => this.#append(piece),
    onStatus: (status) => this.#statusChanged(status),
    onCommandStart: (seq) => this.#commandStarts(seq),
    onCommandEnd: (seq, outcome, error) => this.#commandEnds(seq, outcome, error),
  };

  attachEngine(engine: KdEngine): void {
    this.#engine = engine;
    this.#statusChanged(engine.status);
  }

  get engine(): KdEngine {
    if (this.#engine === undefined) throw new Error('The engine has not started');
    return this.#engine;
  }

  get status(): SessionStatus {
    return this.engine.status;
  }

  get breakpoints(): readonly Breakpoint[] {
    return this.#breakpoints;
  }

  /** Is the guest frozen? */
  get halted(): boolean {
    return HALTED_STATES.includes(this.status.state);
  }

  // ------------------------------------------------------------------------------------------------ transcript

  #append(piece: TranscriptPiece): void {
    const { from, to, text } = this.transcript.append(piece);
    if (piece.kind === 'command') {
      this.traces.set(piece.seq, {
        seq: piece.seq,
        text: piece.text.trimEnd(),
        by: piece.by,
        at: this.clock.wall(),
        from: to,
      });
    }
    if (text === '') return;
    this.#outputEnd = piece.kind === 'prompt' ? Math.min(from, this.#outputEnd ?? from) : undefined;
    const role: OutputRole =
      piece.kind === 'command' ? { kind: 'command', by: piece.by, seq: piece.seq } : { kind: piece.kind };
    for (const client of this.clients) client.appended(from, to, text, role);
  }

  /** Writes a remark into the transcript and tells everybody. */
  remark(text: string, by: Actor = HOST_ACTOR): void {
    const prompt = this.#outputEnd === undefined ? undefined : this.status.prompt;
    this.#append({ kind: 'remark', text: `${REMARK} ${text}` });
    // What comes next stands behind a prompt, as before.
    if (prompt !== undefined) this.#append({ kind: 'prompt', text: `${prompt} ` });
    for (const client of this.clients) client.announce(text, by);
  }

  // ------------------------------------------------------------------------------------------------ commands

  /** Where the output before the prompt ends, when a prompt is the last thing there is. */
  #outputEnd: number | undefined;

  #commandStarts(seq: number): void {
    const trace = this.traces.get(seq);
    if (trace !== undefined) trace.from = this.transcript.end;
  }

  #commandEnds(seq: number, outcome: CommandOutcome, error: string | undefined): void {
    const trace = this.traces.get(seq);
    if (trace === undefined) return;
    // The prompt that ends a command is no output of it.
    trace.to = Math.max(trace.from, this.#outputEnd ?? this.transcript.end);
    this.traces.delete(seq);
    appendCommand(this.facts.commandIndex, {
      seq,
      text: trace.text,
      by: trace.by,
      from: trace.from,
      to: trace.to,
      outcome,
      ...(error === undefined ? {} : { error }),
      at: trace.at,
      durationMs: this.clock.wall() - trace.at,
    });
    if (error === undefined && touchesBreakpoints(trace.text)) this.#breakpointsChanged(trace);
  }

  #breakpointsChanged(trace: CommandTrace): void {
    const output = this.transcript.read(
      trace.from,
      Math.min(64 * 1024, (trace.to ?? trace.from) - trace.from),
    );
    this.#breakpoints = afterCommand(this.#breakpoints, trace.text, trace.by, output.text);
    const set = new Set(this.#breakpoints.map((one) => one.command));
    this.#lost = this.#lost.filter((command) => !set.has(command));
    if (this.#lost.length === 0) this.#lostNotice = undefined;
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
    } else if (!halted && before?.halted === true) {
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

  /** kd forgets all breakpoints when the target restarts. They are named, and never set again unasked. */
  #breakpointsLost(): void {
    if (this.#breakpoints.length === 0) return;
    const commands = [...new Set(this.#breakpoints.map((one) => one.command))];
    this.#breakpoints = [];
    this.#lost = [...new Set([...this.#lost, ...commands])];
    const text = `The target restarted; ${commands.length} breakpoint${commands.length === 1 ? ' is' : 's are'} gone: ${commands.join(' · ')}. Set them again when the target has stopped.`;
    this.#lostNotice = { kind: 'breakpoints-lost', text, at: this.clock.wall(), count: 1 };
    this.remark(text);
  }

  /** The engine knows who asked for a break. Whose breakpoint it was is known here. */
  #causeOf(status: SessionStatus): HaltCause {
    const event = status.lastEvent;
    if (event?.kind !== 'breakpoint') return status.halt?.cause ?? { kind: 'unknown' };
    return this.#breakpoints.find((one) => one.number === event.number)?.by ?? { kind: 'target' };
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

  /** Everybody learns of the new state at the end of this turn: a quick command does not tell two states. */
  tellChanged(): void {
    this.#tell ??= setImmediate(() => {
      this.#tell = undefined;
      for (const client of this.clients) client.changed();
    });
  }

  info(): SessionInfo {
    const { facts, keeper } = this;
    const status = this.status;
    const halt = this.halt;
    const { pinnedBy, controlledBy } = keeper.state;
    const leaseEndsAt = keeper.leaseEndsAt;
    const kdPid = this.engine.pid;
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
        notices: this.#lostNotice === undefined ? status.notices : [...status.notices, this.#lostNotice],
      },
      ...(leaseEndsAt === undefined ? {} : { leaseEndsAt }),
      ...(pinnedBy === undefined ? {} : { pinnedBy }),
      ...(controlledBy === undefined ? {} : { controlledBy }),
      clients: [...this.clients].map(({ identity, since }) => ({ identity, since })),
      queued: this.turns.length,
      transcriptPath: this.transcript.path,
      transcriptEnd: this.transcript.end,
      lostBreakpoints: this.#lost,
    };
  }

  dispose(): void {
    if (this.#tell !== undefined) clearImmediate(this.#tell);
    this.keeper.dispose();
    this.transcript.dispose();
  }
}
