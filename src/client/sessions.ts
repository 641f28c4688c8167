/**
 * What a client (serve, the extension, the command line) can do with sessions: list them, join one, start one.
 *
 * The interfaces only; `registry.ts` implements them. Errors are {@link SessionError}: their message is for the user.
 */

import type {
  ClientIdentity,
  CommandResult,
  Level,
  OutputRole,
  ReadResult,
  RunControlResult,
  SessionInfo,
  SessionRecord,
  Shared,
  ShareParams,
} from '../host/protocol.ts';
import type { Connection } from '../kd/connection.ts';

export interface Disposable {
  dispose(): void;
}

/** A live connection to one session host. */
export interface Session extends Disposable {
  readonly id: string;
  /** The last known state; kept up to date by the host. */
  readonly info: SessionInfo;
  /** False once the host is gone or the connection was closed. */
  readonly connected: boolean;
  refresh(): Promise<SessionInfo>;
  command(
    lines: readonly string[],
    options: { timeoutMs: number; answer?: boolean; ifRunning?: 'refuse' | 'break_and_resume' },
  ): Promise<{ results: readonly CommandResult[]; info: SessionInfo }>;
  breakIn(timeoutMs: number): Promise<RunControlResult>;
  go(waitMs: number): Promise<RunControlResult>;
  waitForBreak(options: {
    timeoutMs: number;
    generation?: number;
    signal?: AbortSignal;
  }): Promise<RunControlResult>;
  read(options: { from?: number; maxBytes: number; grep?: string }): Promise<ReadResult>;
  stop(
    guest: 'resume' | 'leave_frozen',
  ): Promise<{ guest: SessionRecordEnd; detail: string; info: SessionInfo }>;
  pin(pinned: boolean): Promise<SessionInfo>;
  control(take: boolean): Promise<SessionInfo>;
  /** Another level for agents. @throws SessionError when an agent wants to raise it */
  setLevel(level: Level): Promise<SessionInfo>;
  /** Opens it to other debuggers; a person's act. */
  share(params: ShareParams): Promise<Shared>;
  unshare(params: Pick<ShareParams, 'breakAndResume'>): Promise<SessionInfo>;
  touch(): void;
  /** Streams the transcript from `from` on (0 = all, the end = only what is new). */
  follow(
    from: number,
    onOutput: (piece: { from: number; text: string; role: OutputRole }) => void,
  ): Promise<Disposable>;
  onChange(listener: (info: SessionInfo) => void): Disposable;
  onClose(listener: () => void): Disposable;
}

export type SessionRecordEnd = NonNullable<SessionRecord['ended']>['guest'];

export interface StartOptions {
  readonly connection: Connection;
  readonly id?: string;
  readonly guestHost?: string;
  readonly stateFile?: string;
  readonly breakOnConnect?: boolean;
  /** To let a guest run that was left frozen. */
  readonly rescues?: boolean;
  /** Program and leading arguments; default: discovery (or the simulator). */
  readonly kd?: readonly [string, ...string[]];
  readonly symbolPath?: string;
  /** Where kd gets an empty folder of its own; default: in `<home>`. */
  readonly workdir?: string;
}

export interface Started {
  readonly session: Session;
  /** It ran already. */
  readonly existing: boolean;
  /** It runs with another KDNET key than the one that was asked for: it will not reach a guest that has the new one. */
  readonly otherKey?: true;
}

export interface Sessions extends Disposable {
  readonly home: string;
  readonly identity: ClientIdentity;
  /** Records of live sessions. A record whose process is gone is moved to `ended/` on the way. */
  list(): Promise<readonly SessionRecord[]>;
  /** Sessions that are over, newest first, at most `limit`. */
  ended(limit?: number): Promise<readonly SessionRecord[]>;
  /**
   * Joins a session. Without an id: the only one there is.
   * @throws SessionError naming the ids there are, how the session ended, or that its program is another version.
   */
  open(id?: string): Promise<Session>;
  /** Starts a session, or joins the one that runs for the same target. */
  start(options: StartOptions): Promise<Started>;
  /** Reads a transcript of an ended session. */
  readEnded(id: string, options: { from?: number; maxBytes: number; grep?: string }): Promise<ReadResult>;
  /** Called when a session appears, changes its record or goes. */
  watch(listener: () => void): Disposable;
}

/** Something the user must do something about; `message` says what. */
export class SessionError extends Error {
  override readonly name: string = 'SessionError';
}
