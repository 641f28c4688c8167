/** The sessions of one home folder: found by their records, joined through their sockets, started through the launcher. */
import { ForeignFolder, requireOwnFolder } from '../host/files.ts';
import { isSessionId, sessionsFolder } from '../host/home.ts';
import {
  type ClientIdentity,
  DEFAULT_LIMITS,
  type HostStart,
  type Limits,
  type ReadResult,
  type SessionRecord,
} from '../host/protocol.ts';
import { readTranscript } from '../host/read-transcript.ts';
import { isForTarget } from '../host/record-target.ts';
import { endedRecords, isHostAlive, liveRecord, liveRecords, reapRecord } from '../host/records.ts';
import type { Connection } from '../kd/connection.ts';
import { normalizeSessionId, sessionId } from '../kd/session-id.ts';
import { launchHost } from './launch.ts';
import { NoAnswer } from './no-answer.ts';
import { type Asker, noneRuns, notRunning, severalRun } from './not-there.ts';
import { type Program, runningProgram, simulatorProgram } from './program.ts';
import type { RemoteSession } from './remote-session.ts';
import {
  type Disposable,
  type Session,
  SessionError,
  type Sessions,
  type Started,
  type StartOptions,
} from './sessions.ts';
import { watchFolder } from './watch-folder.ts';

/** How the sessions of a home are reached and started. */
export interface SessionsOptions {
  readonly home: string;
  readonly identity: ClientIdentity;
  /** Default: the program that runs, see {@link runningProgram}. */
  readonly program?: Program;
  /** Finds kd.exe when a start names no debugger. Its error is for the user. */
  readonly findDebugger?: () => Promise<readonly [string, ...string[]]>;
  /** Of the configuration; seconds. */
  readonly startupTimeoutSec?: number;
  readonly haltLeaseSec?: number;
  readonly orphanGraceSec?: number;
  readonly workdir?: string;
  /** What agents may do in a session that is started here; this client itself, if it is one, in any session. */
  readonly limits?: Limits;
}

/** A host that is ending still has its record for a moment. */
const START_TRIES = 5;
const RETRY_MS = 200;

export function createSessions(options: SessionsOptions): Sessions {
  return new Registry(options);
}

class Registry implements Sessions {
  readonly home: string;
  readonly identity: ClientIdentity;
  readonly #options: SessionsOptions;
  readonly #open = new Set<RemoteSession>();
  readonly #watches = new Set<Disposable>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.home = options.home;
    this.identity = options.identity;
  }

  /** What others can write is no record. @throws SessionError that says whose folder it is. */
  #requireOwnHome(): void {
    try {
      requireOwnFolder(this.home);
    } catch (error) {
      throw error instanceof ForeignFolder ? new SessionError(error.message) : error;
    }
  }

  async list(): Promise<readonly SessionRecord[]> {
    this.#requireOwnHome();
    return liveRecords(this.home).filter((record) => {
      if (isHostAlive(record)) return true;
      reapRecord(this.home, record, Date.now());
      return false;
    });
  }

  async ended(limit = 50): Promise<readonly SessionRecord[]> {
    this.#requireOwnHome();
    return endedRecords(this.home).slice(0, limit);
  }

  async open(id?: string): Promise<Session> {
    const record = await this.#find(id);
    try {
      return await this.#connect(record);
    } catch (error) {
      // It ended between the look and the call.
      if (error instanceof NoAnswer && !(await this.#isLive(record)))
        throw notRunning(record.id, this.#asker([]));
      throw error;
    }
  }

  async #find(id: string | undefined): Promise<SessionRecord> {
    const live = await this.list();
    if (id !== undefined) {
      const wanted = normalizeSessionId(id);
      const found = live.find((record) => record.id === id || record.id === wanted);
      if (found === undefined) throw notRunning(isSessionId(id) ? wanted : id, this.#asker(live));
      return found;
    }
    const [only, ...others] = live;
    if (only === undefined) throw noneRuns(this.#asker(live), Date.now());
    if (others.length > 0) throw severalRun(this.#asker(live));
    return only;
  }

  async #isLive(record: SessionRecord): Promise<boolean> {
    return (await this.list()).some(
      (other) => other.id === record.id && other.startedAt === record.startedAt,
    );
  }

  #asker(live: readonly SessionRecord[]): Asker {
    return { kind: this.identity.kind, live, over: endedRecords(this.home) };
  }

  async #connect(record: SessionRecord): Promise<RemoteSession> {
    // The JSON-RPC library is loaded with the first session: a window without one starts sooner.
    const { RemoteSession } = await import('./remote-session.ts');
    const session = await RemoteSession.connect(record, this.identity, this.#options.limits);
    this.#open.add(session);
    session.onClose(() => {
      this.#open.delete(session);
      // If the host was killed, somebody has to move its record, and this client knows first.
      this.list().catch(() => {});
    });
    return session;
  }

  async start(options: StartOptions): Promise<Started> {
    const running = await this.#running(options.connection);
    if (running !== undefined) return joined(running, options.connection);
    const program = this.#options.program ?? runningProgram();
    const start = await this.#hostStart(options, program);
    for (let tries = 1; ; tries++) {
      const started = await launchHost(start, program);
      if (!started.ok) throw new SessionError(started.error);
      const record = liveRecord(this.home, started.id);
      try {
        if (record === undefined) throw notRunning(started.id, this.#asker([]));
        const session = await this.#connect(record);
        return started.existing ? await joined(session, options.connection) : { session, existing: false };
      } catch (error) {
        if (!started.existing || tries === START_TRIES) throw error;
        // The session that was named is just ending: its port is free in a moment.
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** What runs already is joined as it is: that needs neither kd.exe nor the program's folder. */
  async #running(connection: Connection): Promise<RemoteSession | undefined> {
    const record = (await this.list()).find((one) => isForTarget(one, connection));
    try {
      return record && (await this.#connect(record));
    } catch (error) {
      // Just ending, or not to be joined: the host that is started finds out, and says it in its own words.
      if (error instanceof NoAnswer) return undefined;
      throw error;
    }
  }

  async #hostStart(options: StartOptions, program: Program): Promise<HostStart> {
    const { connection } = options;
    const own = this.#options;
    const id = options.id === undefined ? sessionId(connection) : normalizeSessionId(options.id);
    if (!isSessionId(id)) {
      throw new SessionError(
        `"${options.id ?? id}" is no session id: use letters, digits, ".", "_" and "-".`,
      );
    }
    const workdir = options.workdir ?? own.workdir;
    return {
      home: this.home,
      id,
      connection,
      kd: options.kd ?? (await this.#debugger(connection.transport === 'simulator', program)),
      ...(options.symbolPath === undefined ? {} : { symbolPath: options.symbolPath }),
      ...(workdir === undefined ? {} : { workdir }),
      startedBy: this.identity,
      ...(options.guestHost === undefined ? {} : { guestHost: options.guestHost }),
      ...(options.stateFile === undefined ? {} : { stateFile: options.stateFile }),
      breakOnConnect: options.breakOnConnect ?? false,
      ...(options.rescues === true ? { rescues: true } : {}),
      startupTimeoutSec: own.startupTimeoutSec ?? 30,
      haltLeaseSec: own.haltLeaseSec ?? 300,
      orphanGraceSec: own.orphanGraceSec ?? 60,
      limits: own.limits ?? DEFAULT_LIMITS,
    };
  }

  async #debugger(simulated: boolean, program: Program): Promise<readonly [string, ...string[]]> {
    if (simulated) return simulatorProgram(program);
    if (this.#options.findDebugger !== undefined) return this.#options.findDebugger();
    throw new SessionError('No debugger is named. Set kd.kd_exe to the path of kd.exe.');
  }

  async readEnded(
    id: string,
    options: { from?: number; maxBytes: number; grep?: string },
  ): Promise<ReadResult> {
    const wanted = normalizeSessionId(id);
    const over = endedRecords(this.home).find((record) => record.id === wanted);
    if (over === undefined) throw notRunning(wanted, this.#asker(liveRecords(this.home)));
    try {
      return await readTranscript(over.transcript, options);
    } catch (error) {
      throw new SessionError(
        `The transcript of session "${id}" cannot be read (${error instanceof Error ? error.message : String(error)}).`,
      );
    }
  }

  watch(listener: () => void): Disposable {
    const watch = watchFolder(sessionsFolder(this.home), listener);
    this.#watches.add(watch);
    return {
      dispose: () => {
        this.#watches.delete(watch);
        watch.dispose();
      },
    };
  }

  dispose(): void {
    for (const watch of this.#watches) watch.dispose();
    this.#watches.clear();
    for (const session of [...this.#open]) session.dispose();
    this.#open.clear();
  }
}

async function joined(session: RemoteSession, connection: Connection): Promise<Started> {
  const otherKey = connection.transport === 'net' && (await session.hasKey(connection.key)) === false;
  return { session, existing: true, ...(otherKey ? { otherKey } : {}) };
}
