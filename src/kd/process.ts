/**
 * kd as a child process: clean environment, private working folder, open pipes for its whole life.
 *
 * stdin stays open until kd is gone: with a closed one kd spins and eats memory (kd-behaviour.md §4.3).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type Breaker, createBreaker } from './breakin.ts';

/**
 * The variables kd is given. Not on the list, so that nothing changes what kd does behind our back: `_NT_*`
 * (symbol path, replacement drivers, startup commands), `KDQUIET`, `DBGENG_*`, `NODE_OPTIONS`.
 */
const PASSED = new Set([
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'DISPLAY', 'XDG_RUNTIME_DIR'],
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'COMSPEC',
    'PATHEXT',
    'TEMP',
    'TMP',
    'OS',
    'NUMBER_OF_PROCESSORS',
  ],
  ...[
    'USERPROFILE',
    'USERNAME',
    'USERDOMAIN',
    'HOMEDRIVE',
    'HOMEPATH',
    'APPDATA',
    'LOCALAPPDATA',
    'COMPUTERNAME',
  ],
  ...['PROGRAMDATA', 'ALLUSERSPROFILE', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'PUBLIC'],
  ...[
    'COMMONPROGRAMFILES',
    'COMMONPROGRAMFILES(X86)',
    'PROCESSOR_ARCHITECTURE',
    'LOGONSERVER',
    'SESSIONNAME',
  ],
  // Symbol servers behind a proxy.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SYMSRV_PROXY', '_NT_SYMBOL_PROXY'],
  // Inside VS Code's own runtime this makes the bundled simulator a program and not a window.
  'ELECTRON_RUN_AS_NODE',
]);

/** How long the pipes of a kd that has exited are read. */
const LAST_WORDS_MS = 1_000;

export interface KdLaunch {
  /** The debugger and its leading arguments. */
  readonly program: readonly [string, ...string[]];
  readonly args: readonly string[];
  /** An empty folder of the session's own: kd runs `ntsd.ini` of its working folder. */
  readonly workdir: string;
}

export interface KdProcess {
  readonly pid: number | undefined;
  readonly breaker: Breaker;
  /** Writes to kd's stdin; silent when kd is gone. */
  write(bytes: string | Uint8Array): void;
  /** Ends it at once. */
  kill(): void;
}

export interface KdProcessEvents {
  readonly onBytes: (bytes: Uint8Array) => void;
  /** After the last byte. `error`: it could not be started. */
  readonly onExit: (code: number | null, error: Error | undefined) => void;
}

/** A pipe between processes holds about as much. */
const PIPE_BYTES = 192 * 1024;

/** Starts kd. Never throws: a start that fails is an exit with an error. */
export function startKd(launch: KdLaunch, events: KdProcessEvents): KdProcess {
  const [program, ...leading] = launch.program;
  let child: ChildProcess;
  try {
    child = spawn(program, [...leading, ...launch.args], {
      cwd: launch.workdir,
      env: cleanEnvironment(process.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A hidden console of its own; `detached` would mean no console and so no break (kd-behaviour.md §5.1).
      windowsHide: true,
    });
  } catch (error) {
    queueMicrotask(() => events.onExit(null, error instanceof Error ? error : new Error(String(error))));
    return { pid: undefined, breaker: createBreaker(gone), write: () => {}, kill: () => {} };
  }
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
    if (child.pid === undefined) events.onExit(null, error);
  });
  const input = new Gathered(events.onBytes);
  child.stdout?.on('data', (bytes: Uint8Array) => input.push(bytes));
  child.stderr?.on('data', (bytes: Uint8Array) => input.push(bytes));
  // EPIPE: kd went away; its exit tells.
  child.stdin?.on('error', () => {});
  child.on('exit', () => {
    breaker.dispose();
    // A process that kd left behind holds the pipes (a Store alias ended from outside, a program it started): kd is gone.
    setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, LAST_WORDS_MS).unref();
  });
  child.on('close', (code, signal) => {
    if (child.pid === undefined) return;
    input.pass();
    events.onExit(code === null && signal !== null ? 128 + constants.signals[signal] : code, failure);
  });
  const write = (bytes: string | Uint8Array): void => {
    if (child.stdin?.writable) child.stdin.write(bytes);
  };
  const breaker = createBreaker({ pid: child.pid ?? 0, kill: (signal) => child.kill(signal), write });
  return {
    pid: child.pid,
    breaker,
    write,
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

/**
 * Passes on what came in one turn only when the pipe is empty: kd goes on printing while it is worked on here. More than
 * a pipe can hold is not waited for.
 */
class Gathered {
  readonly #onBytes: (bytes: Uint8Array) => void;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #soon: NodeJS.Immediate | undefined;

  constructor(onBytes: (bytes: Uint8Array) => void) {
    this.#onBytes = onBytes;
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= PIPE_BYTES) this.pass();
    else this.#soon ??= setImmediate(() => this.pass());
  }

  pass(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    // Given away one by one: what is held longer is freed much later.
    for (let bytes = pieces.shift(); bytes !== undefined; bytes = pieces.shift()) this.#onBytes(bytes);
  }
}

const gone = { pid: 0, kill: () => false, write: () => {} };

/** What of `env` kd gets to see. Names are compared without case, as on Windows. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => PASSED.has(name.toUpperCase()) || name.startsWith('LC_')),
  );
}
