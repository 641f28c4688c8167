/**
 * What clients and a session host say to each other: JSON-RPC (vscode-jsonrpc) over a named pipe or Unix socket.
 *
 * The shapes; messages.ts has the requests that carry them, and the two are the whole protocol. Compatible change: add an
 * optional field. Anything else raises {@link PROTOCOL}. `hello`, `state`, `read`, `break`, `go` and `stop` keep their shape for ever, so that a client of
 * any version can look at a session, free its guest and end it.
 */
import type { Level } from '../config/levels.ts';
import type { Connection, Transport } from '../kd/connection.ts';
import type { Actor, CommandOutcome, SessionStatus } from '../kd/model.ts';
import type { Effect } from '../policy/effects.ts';
import type { SecurityLists } from '../policy/lists.ts';
import type { Breakpoint } from './breakpoints.ts';

export const PROTOCOL = 1;

export type { Effect, Level };

/** What a configuration lets agents do. */
export interface Limits {
  readonly level: Level;
  readonly security: SecurityLists;
}

export const NO_LISTS: SecurityLists = { allowed_command_prefixes: [], denied_patterns: [] };
export const DEFAULT_LIMITS: Limits = { level: 'debug', security: NO_LISTS };

/** Who a client is. The host keeps it with the connection; later requests need not repeat it. */
export interface ClientIdentity {
  readonly kind: 'agent' | 'person';
  readonly name: string;
}

// ---------------------------------------------------------------------------------------------- starting a host

/** What the launcher writes to a new host's stdin: one JSON document, then end of file. The key travels only here. */
export interface HostStart {
  readonly home: string;
  /** Wanted id, e.g. `net-50000`; the host takes `-2`, `-3` … on a clash with another connection. */
  readonly id: string;
  readonly connection: Connection;
  /** Program and leading arguments of the debugger (`['/path/kd.exe']`, `[node, 'simulator.js']`). */
  readonly kd: readonly [string, ...string[]];
  readonly symbolPath?: string;
  /** Where kd gets an empty folder of its own; default: beside the transcript. */
  readonly workdir?: string;
  readonly startedBy: ClientIdentity;
  /** Address of the guest as its state file names it: where WinRM lives. */
  readonly guestHost?: string;
  /** State file the connection came from: where a rescue can find the key again. */
  readonly stateFile?: string;
  readonly breakOnConnect: boolean;
  /** It is started to let a guest run that was left frozen: should the rescuer die, the session does it by itself. */
  readonly rescues?: boolean;
  readonly startupTimeoutSec: number;
  readonly haltLeaseSec: number;
  readonly orphanGraceSec: number;
  /** What agents may do. Older starters give none: then {@link DEFAULT_LIMITS}. */
  readonly limits: Limits;
}

/** What the host answers on its stdout, one JSON line, before it closes it. */
export type HostStarted =
  | { readonly ok: true; readonly id: string; readonly existing: boolean }
  | { readonly ok: false; readonly error: string };

// ---------------------------------------------------------------------------------------------- discovery records

/** `<home>/sessions/<id>.json`, owner-only. Moved to `<home>/ended/<id>.<started>.json` when the session is over. */
export interface SessionRecord {
  readonly protocol: number;
  readonly id: string;
  readonly title: string;
  readonly transport: Transport;
  readonly hostPid: number;
  /** Start time of that process in the system's own unit; tells a reused pid. */
  readonly hostStarted?: string;
  readonly kdPid?: number;
  readonly socket: string;
  readonly token: string;
  readonly startedAt: number;
  readonly startedBy: ClientIdentity;
  readonly transcript: string;
  readonly guestHost?: string;
  readonly stateFile?: string;
  /** Everything of the connection but its secrets: what a rescue needs besides the key. */
  readonly connection: Readonly<Record<string, unknown>>;
  readonly kd: readonly string[];
  /** Kept up to date with each change of state. */
  readonly state: SessionStatus['state'];
  readonly halt?: SessionStatus['halt'];
  /** {@link SessionStatus.unanswered}: a break may have halted the target unseen. */
  readonly unanswered?: number;
  /** Breakpoints that are in the target's memory while it runs. */
  readonly breakpoints?: number;
  readonly pinned: boolean;
  /** What agents may do. Absent from hosts that do not judge. */
  readonly level?: Level;
  readonly sharing?: Sharing;
  /** kd's folder where the configuration put it elsewhere: what kd left there goes with the session. */
  readonly work?: string;
  /** In `ended/`: how it ended. */
  readonly ended?: {
    readonly at: number;
    readonly reason: string;
    readonly guest: GuestLeft;
    /** `stopped`: somebody asked for it. `kd-ended`: kd went by itself. `host-gone`: found by a client. */
    readonly how?: 'stopped' | 'kd-ended' | 'host-gone';
    /** A rescue or a later session took care of the guest. */
    readonly rescuedAt?: number;
  };
}

/** What became of the guest when a session ended. */
export type GuestLeft = 'running' | 'frozen' | 'unknown' | 'none';

// ---------------------------------------------------------------------------------------------- the session as seen

/** A session that a person opened to other debuggers. */
export interface Sharing {
  /** What takes new ones, without its password; absent after it was closed. */
  readonly server?: { readonly address: string; readonly by: ClientIdentity; readonly since: number };
  /** Users of other debuggers, in kd's words: `BOX\\alice (npipe …)`. kd does not tell who leaves, `.clients` does. */
  readonly attached: readonly { readonly name: string; readonly since: number }[];
}

export interface ShareParams {
  /** A TCP port instead of a named pipe of this machine, with a password. */
  readonly tcp?: { readonly port: number; readonly password: string };
  /** kd takes commands only from a halted target: halt it for a moment if it runs. */
  readonly breakAndResume?: boolean;
}

export interface Shared {
  /** What another debugger is given behind `-remote`: it holds the password, and nothing else does. */
  readonly remote: string;
  readonly info: SessionInfo;
}

export interface SessionInfo {
  readonly id: string;
  readonly title: string;
  readonly transport: Transport;
  readonly startedAt: number;
  readonly startedBy: ClientIdentity;
  readonly guestHost?: string;
  readonly kdProgram: string;
  readonly kdPid?: number;
  readonly hostPid: number;
  readonly status: SessionStatus;
  /** When the lease resumes the guest by itself; absent when nothing will. */
  readonly leaseEndsAt?: number;
  /** Name of the person who pinned the halt. */
  readonly pinnedBy?: string;
  /** Name of the person who took control: agents may only look. */
  readonly controlledBy?: string;
  /** What agents may do. Absent from hosts that do not judge. */
  readonly level?: Level;
  readonly clients: readonly { readonly identity: ClientIdentity; readonly since: number }[];
  /** Commands waiting, the running one not counted. */
  readonly queued: number;
  readonly transcriptPath: string;
  /** Size of the transcript in bytes: the cursor of "now". */
  readonly transcriptEnd: number;
  /** Breakpoints that a reboot took, as the commands that set them. */
  readonly lostBreakpoints: readonly string[];
  /** Absent when no other debugger can come or is there. */
  readonly sharing?: Sharing;
  /** Breakpoints as far as the commands tell. Absent from hosts that do not tell them. */
  readonly breakpoints?: readonly Breakpoint[];
}

export interface CommandResult {
  readonly seq: number;
  readonly text: string;
  readonly outcome: CommandOutcome;
  /** Its output in the transcript: byte offsets [from, to). */
  readonly from: number;
  readonly to: number;
  /** First line in which kd refused it, e.g. `^ Syntax error in 'foo'`. */
  readonly error?: string;
  readonly durationMs: number;
  /** What the line does. Absent from hosts that do not judge. */
  readonly effects?: readonly Effect[];
}

/** The verdict on a request that asks the target to stop or to run. */
export type RunControlOutcome =
  /** It is so now, because of this call. */
  | 'done'
  /** It was so before; nothing was sent. */
  | 'already'
  /** A command was interrupted (break on a busy session). */
  | 'interrupted'
  /** Not yet: asked for, not confirmed in time. */
  | 'pending'
  /** kd refused (`^ Unable to get program counter 'g'`) or the state does not allow it; `error` says why. */
  | 'refused'
  /** The target ran and stopped again before the call was over. */
  | 'stopped-again';

export interface RunControlResult {
  readonly outcome: RunControlOutcome;
  readonly error?: string;
  /** Transcript offsets of what was printed meanwhile. */
  readonly from: number;
  readonly to: number;
  /** How long the guest had been halted before it ran, ms (go). */
  readonly haltedMs?: number;
  readonly info: SessionInfo;
}

export interface ReadResult {
  readonly text: string;
  /** Offsets of the text in the transcript; with `grep`, of the part that was searched. */
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

export interface HelloParams {
  readonly token: string;
  readonly protocol: number;
  readonly client: ClientIdentity;
  /** What an agent's own configuration lets it do: it narrows what the session does. */
  readonly limits?: Limits;
}

/** What a piece of transcript is: kd's own output, a prompt, a command line with its author, a remark of the host. */
export type OutputRole =
  | { readonly kind: 'kd' }
  | { readonly kind: 'prompt' }
  | { readonly kind: 'command'; readonly by: Actor; readonly seq: number }
  | { readonly kind: 'remark' };

/** JSON-RPC error codes of this protocol; the message is a sentence for the user that names the next step. */
export const ErrorCode = {
  /** The state does not allow the request. */
  wrongState: 1,
  /** A person has control. */
  controlled: 2,
  /** The command line cannot be sent as it is. */
  badCommand: 3,
  /** Wrong argument. */
  badArgument: 4,
  /** kd is gone. */
  ended: 5,
} as const;
