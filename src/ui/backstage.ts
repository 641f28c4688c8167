/**
 * What the views need of the configuration, the state file and the longer flows. Only the interface: the
 * implementation (`src/backstage.ts`) loads zod and yaml, so it is a bundle of its own that is loaded on first use.
 */
import type { Session } from '../client/sessions.ts';
import type { ClientIdentity } from '../host/protocol.ts';

/** Where the configuration comes from, and for whom sessions are started. */
export interface BackstageOptions {
  readonly home: string;
  readonly identity: ClientIdentity;
  /** The program that hosts are started with: `dist/cli.js`. */
  readonly script: string;
  readonly configFile?: string;
  /** Values a person set in VS Code, by name without `kdMcp.`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A state file that is whole and valid. The key is in there, and only there. */
export interface StateFileSeen {
  readonly guestHost: string;
  readonly port: number;
  /** Equal for equal content; tells nothing of it. */
  readonly fingerprint: string;
}

export type StateFileLook =
  | { readonly kind: 'ready'; readonly seen: StateFileSeen }
  | { readonly kind: 'missing' }
  /** Half-written, locked or wrong; `problem` says which, without the key. */
  | { readonly kind: 'unusable'; readonly problem: string };

/** How a return to WinRM ended; the same flow as the tool's. */
export interface WinrmReturn {
  readonly end: 'answers' | 'silent' | 'stopped' | 'refused' | 'no-address';
  /** The same for the log, in English. */
  readonly words: readonly string[];
}

export interface Backstage {
  /** Absolute path of the state file both servers agreed on. */
  readonly stateFilePath: string;
  /** Things in the configuration that have no effect. */
  readonly warnings: readonly string[];
  /** Undefined when a kd.exe is found; otherwise why not. */
  missingDebugger(): Promise<string | undefined>;
  readStateFile(): Promise<StateFileLook>;
  /**
   * Starts a session, or finds the one that runs for the same connection; the caller joins it by its id.
   * @throws Error with a message for the person: no or a wrong state file, no kd.exe, kd's own words.
   */
  start(what: 'state-file' | 'simulated'): Promise<{ readonly id: string; readonly existing: boolean }>;
  /** Lets the target run and waits until WinRM answers, the target stops again or `signal` fires. */
  resumeForWinrm(
    session: Session,
    options: { signal: AbortSignal; progress: (text: string) => void },
  ): Promise<WinrmReturn>;
}

/** @throws Error whose message names file, key, expected and found when the configuration is wrong. */
export type OpenBackstage = (options: BackstageOptions) => Backstage;
