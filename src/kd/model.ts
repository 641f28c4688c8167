/**
 * The vocabulary of one kernel debugging session: who acts, what the target is doing, what happened last.
 *
 * Types only. Everything here is plain JSON: it crosses the wire (`host/protocol.ts`) unchanged.
 * Times are milliseconds since the Unix epoch.
 */

/** Who did something: an agent (an MCP client), a person, or the session host on its own (lease, orphan rule). */
export interface Actor {
  readonly kind: 'agent' | 'person' | 'host';
  /** Shown to people: `Copilot`, `claude-code`, `Minsu (VS Code)`. */
  readonly name: string;
}

/**
 * - `starting` kd runs, no banner yet.
 * - `waiting`  kd listens, no target. {@link SessionStatus.linked} tells that KDNET's link is up.
 * - `running`  the target runs.
 * - `breaking` a break was sent and somebody waits for the stop; see {@link SessionStatus.unanswered} for what follows.
 * - `broken`   kd is at its prompt: **the guest is frozen**.
 * - `busy`     a command executes; the guest is frozen too.
 * - `asking`   kd wants input that is not a command (kd-behaviour.md §4.6).
 * - `ended`    kd is gone; the transcript stays readable.
 */
export type KdState =
  | 'starting'
  | 'waiting'
  | 'running'
  | 'breaking'
  | 'broken'
  | 'busy'
  | 'asking'
  | 'ended';

/** The states in which the guest does not execute. */
export const HALTED_STATES: readonly KdState[] = ['broken', 'busy', 'asking'];

export type TargetEvent =
  | { readonly kind: 'break-in' }
  | { readonly kind: 'breakpoint'; readonly number: number }
  | {
      readonly kind: 'exception';
      readonly code: string;
      readonly chance: 'first' | 'second';
      readonly text: string;
    }
  | { readonly kind: 'bugcheck'; readonly code: string; readonly args: readonly string[] }
  | { readonly kind: 'step' }
  | { readonly kind: 'module-load'; readonly module?: string }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'hard-reset' }
  | { readonly kind: 'link-lost' }
  | { readonly kind: 'connected' }
  /** The target stopped and printed nothing this program knows. */
  | { readonly kind: 'stop' };

/** An event, the words kd used for it, and when. */
export type LastEvent = TargetEvent & {
  readonly at: number;
  /** One line of kd's own text, redacted; '' when kd printed none. */
  readonly text: string;
};

/** Who halted the guest. `target`: it stopped by itself (breakpoint nobody claims, exception, bugcheck, boot). */
export type HaltCause = Actor | { readonly kind: 'target' } | { readonly kind: 'unknown' };

export interface Halt {
  readonly since: number;
  readonly cause: HaltCause;
  readonly event: LastEvent;
}

/** Something a user must know though it is no state: wrong key, link trouble, a refused packet. */
export interface Notice {
  readonly kind:
    | 'wrong-key'
    | 'link-trouble'
    | 'port-in-use'
    | 'open-failed'
    | 'needs-elevation'
    | 'unsupported-protocol'
    | 'breakpoints-lost'
    | 'symbols-loading'
    | 'owed-break'
    | 'noise';
  /** One English sentence, redacted, that names the next step. */
  readonly text: string;
  readonly at: number;
  readonly count: number;
}

/** What is known about the machine under debug, from kd's banners. */
export interface TargetInfo {
  /** e.g. `Windows 10 Kernel Version 19041 MP (2 procs) Free x64`. */
  readonly description?: string;
  readonly build?: number;
  /** `x64`, `x86`, `arm64` or kd's own word. */
  readonly architecture?: string;
  readonly processors?: number;
  readonly kernelBase?: string;
  /** The guest's address as kd printed it (KDNET only). */
  readonly linkAddress?: string;
  /** The Windows boot debugger, not the kernel (kd-behaviour.md §2.3). */
  readonly bootDebugger?: boolean;
}

/** A command that kd is executing or has executed. */
export interface CommandRef {
  /** Counts from 1 in each session, visible to everybody. */
  readonly seq: number;
  readonly text: string;
  readonly by: Actor;
  readonly since: number;
}

export interface KdExit {
  /** Exit code of kd as an unsigned 32-bit number, or null when a signal ended it. */
  readonly code: number | null;
  readonly at: number;
  /** Why, in one English sentence. */
  readonly reason: string;
  /** What the guest was doing when kd went. */
  readonly target: 'running' | 'halted' | 'absent' | 'unknown';
  /** A command that somebody typed ended it (`q`, `qd`), and did with the guest what it says. */
  readonly asked?: true;
}

/** A snapshot of a session's engine. Never older than the last byte that was read. */
export interface SessionStatus {
  readonly state: KdState;
  /** Since when it is in this state. */
  readonly since: number;
  /** KDNET's "Connected to target" was seen (serial transports: a connection was established). */
  readonly linked: boolean;
  /** kd's prompt without the trailing blank, e.g. `0: kd>`; only while halted. */
  readonly prompt?: string;
  /** Grows by one with each stop of the target. */
  readonly generation: number;
  readonly lastEvent?: LastEvent;
  readonly halt?: Halt;
  readonly target: TargetInfo;
  readonly kdVersion?: string;
  readonly command?: CommandRef;
  /** What kd asks, when `asking`. */
  readonly question?: string;
  /** A break was asked for before a target was there; the target is stopped as soon as it connects. */
  readonly breakOnConnect: boolean;
  /** Since when a break that was asked for has no answer and nobody waits for it any more. The stop may still come. */
  readonly unanswered?: number;
  readonly notices: readonly Notice[];
  readonly exit?: KdExit;
}

/**
 * How a command ended, as far as it has.
 * - `done`        its end marker came back.
 * - `running`     the time was over: the command goes on, read its output from the cursor.
 * - `resumed`     it let the target run, which is running now.
 * - `interrupted` a break cut it short.
 * - `asking`      kd asks for input, see {@link SessionStatus.question}.
 * - `lost`        the target went away (reboot, reset, link) before the command ended.
 * - `ended`       kd ended.
 * - `dropped`     it was queued and never sent: the target was resumed or stopped in between.
 */
export type CommandOutcome =
  | 'done'
  | 'running'
  | 'resumed'
  | 'interrupted'
  | 'asking'
  | 'lost'
  | 'ended'
  | 'dropped';
