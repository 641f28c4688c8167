/**
 * The requests and notifications between clients and a session host (protocol.ts). Apart from the shapes because they
 * need the JSON-RPC library, which the extension loads only when there is a session.
 */
import { NotificationType, RequestType } from 'vscode-jsonrpc';
import type { Actor } from '../kd/model.ts';
import type {
  CommandResult,
  GuestLeft,
  HelloParams,
  Level,
  OutputRole,
  ReadResult,
  RunControlResult,
  SessionInfo,
  Shared,
  ShareParams,
} from './protocol.ts';

export const hello = new RequestType<
  HelloParams,
  { readonly protocol: number; readonly info: SessionInfo },
  void
>('hello');
export const state = new RequestType<Record<string, never>, SessionInfo, void>('state');

/**
 * Runs commands one after the other, as one unit of the queue. Waits at most `timeoutMs` for the whole of them; what is
 * not done then goes on (or still waits) and is reported as `running` (or `dropped` if it never can run).
 */
export const command = new RequestType<
  {
    readonly lines: readonly string[];
    readonly timeoutMs: number;
    /** Answer to kd's question in state `asking` instead of a command. */
    readonly answer?: boolean;
    readonly ifRunning?: 'refuse' | 'break_and_resume';
  },
  { readonly results: readonly CommandResult[]; readonly info: SessionInfo },
  void
>('command');

/** Halt the target, interrupt the running command, or ask for a stop at connect, whichever fits the state. */
export const breakIn = new RequestType<{ readonly timeoutMs: number }, RunControlResult, void>('break');
/** Let the target run; then watch it for `waitMs` and come back early if it stops again. */
export const go = new RequestType<{ readonly waitMs: number }, RunControlResult, void>('go');
/** Wait for the first stop after `generation` (default: the current one, if the target runs). */
export const waitForBreak = new RequestType<
  { readonly timeoutMs: number; readonly generation?: number },
  RunControlResult,
  void
>('wait');
export const read = new RequestType<
  {
    /** Byte offset; negative counts from the end. */
    readonly from?: number;
    readonly maxBytes: number;
    /** Case-insensitive text or regular expression: only matching lines. */
    readonly grep?: string;
  },
  ReadResult,
  void
>('read');
/** End the session. The answer comes when kd is gone, or `timeoutMs` is over and it was killed. */
export const stop = new RequestType<
  { readonly guest: 'resume' | 'leave_frozen' },
  { readonly guest: GuestLeft; readonly detail: string; readonly info: SessionInfo },
  void
>('stop');
/** A person keeps a halt beyond its lease, or gives it back to the lease. */
export const pin = new RequestType<{ readonly pinned: boolean }, SessionInfo, void>('pin');
/** A person takes control (agents may only look) or gives it back. */
export const control = new RequestType<{ readonly take: boolean }, SessionInfo, void>('control');
/** Another level for agents. Anyone may lower it, only a person may raise it. */
export const level = new RequestType<{ readonly level: Level }, SessionInfo, void>('level');
/** Was the session started with this KDNET key? Hosts of older builds do not know the request. */
export const hasKey = new RequestType<{ readonly key: string }, { readonly same: boolean }, void>('hasKey');
/** A person opens the session to other debuggers: a debugging server of kd, for WinDbg beside this. */
export const share = new RequestType<ShareParams, Shared, void>('share');
/** A person closes it again; who is connected stays. */
export const unshare = new RequestType<Pick<ShareParams, 'breakAndResume'>, SessionInfo, void>('unshare');
/** A key was typed: activity of a person, restarts the lease. */
export const touch = new NotificationType<Record<string, never>>('touch');
/** From now on {@link output} notifications come, beginning with what the transcript holds from `from` on. */
export const follow = new RequestType<{ readonly from: number }, { readonly from: number }, void>('follow');

// ---------------------------------------------------------------------------------------------- notifications

/** Any part of {@link SessionInfo} changed (never for mere output). */
export const changed = new NotificationType<SessionInfo>('changed');
/** Text that was appended to the transcript at byte `from`. */
export const output = new NotificationType<{
  readonly from: number;
  readonly text: string;
  readonly role: OutputRole;
}>('output');
/** Progress of a request that waits, for people who watch it. */
export const announce = new NotificationType<{ readonly text: string; readonly by: Actor }>('announce');
