/**
 * What the views need of the configuration, the state file and the longer flows. Only the interface: the
 * implementation (`src/backstage.ts`) loads zod and yaml, so it is a bundle of its own that is loaded on first use.
 */
import type { Program } from '../client/program.ts';
import type { RescueReport } from '../client/rescue.ts';
import type { Disposable, Session } from '../client/sessions.ts';
import type { ClientIdentity } from '../host/protocol.ts';
import type { Connection } from '../kd/connection.ts';
import type { PastedConnection } from '../kd/pasted.ts';

/** Where the configuration comes from, and for whom sessions are started. */
export interface BackstageOptions {
  readonly home: string;
  readonly identity: ClientIdentity;
  /** What hosts are started with; asked before each start. */
  readonly program: () => Promise<Program>;
  readonly configFile?: string;
  /** Values a person set in VS Code, by name without `kdMcp.`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A state file that is whole and valid. The key is in there, and only there. */
export interface StateFileSeen {
  readonly guestHost: string;
  readonly port: number;
}

/** What happens to the state file. Of its key nothing is told. */
export interface StateFileListener {
  /** A state file appeared, or leads to another guest. Not called for the one that was there at the start. */
  readonly onNew: (seen: StateFileSeen) => void;
  /** Whether a usable state file is there; called at the start and after each change. */
  readonly onReady: (ready: boolean) => void;
  /** It cannot be used, and stays so: half-written, locked or wrong. */
  readonly onProblem: (problem: string) => void;
}

/** How a return to WinRM ended; the same flow as the tool's. */
export interface WinrmReturn {
  readonly end: 'answers' | 'silent' | 'stopped' | 'refused' | 'no-address';
  /** The same for the log, in English. */
  readonly words: readonly string[];
}

/** A guest that a lost session left frozen, as far as anybody knows. */
export interface FrozenGuest {
  /** Of the ended session. */
  readonly id: string;
  readonly title: string;
  /** Its KDNET port. */
  readonly port?: number;
  readonly needsKey: boolean;
  /** The key is all that is missing: nobody would miss the halt. */
  readonly onlyKey?: true;
  /** Why a person has to decide. */
  readonly ask?: string;
}

export interface Backstage {
  /** Absolute path of the state file both servers agreed on. */
  readonly stateFilePath: string;
  /** Things in the configuration that have no effect. */
  readonly warnings: readonly string[];
  /** Undefined when a kd.exe is found; otherwise why not. */
  missingDebugger(): Promise<string | undefined>;
  /** Follows the state file, also before it or its folder exists. */
  watchStateFile(listener: StateFileListener): Disposable;
  /**
   * Starts a session, or finds the one that runs for the same connection; the caller joins it by its id.
   * @throws Error with a message for the person: no or a wrong state file, no kd.exe, kd's own words.
   */
  start(
    what: 'state-file' | 'simulated' | Connection,
  ): Promise<{ readonly id: string; readonly existing: boolean }>;
  /** Finds the connection in what a person pasted, and checks it. */
  parseConnection(text: string): PastedConnection;
  /** Opens WinDbg on a session that was opened to it. False: there is no WinDbg. */
  openWinDbg(remote: string): Promise<boolean>;
  /** The newest first. */
  frozenGuests(): Promise<readonly FrozenGuest[]>;
  /** Lets the guest of an ended session run again, on a person's word. */
  rescue(id: string, key: string | undefined): Promise<RescueReport>;
  /** Lets the target run and waits until WinRM answers, the target stops again or `signal` fires. */
  resumeForWinrm(
    session: Session,
    options: { signal: AbortSignal; progress: (text: string) => void },
  ): Promise<WinrmReturn>;
}
