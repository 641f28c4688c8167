/** Real processes for tests: a home folder, clients, simulators with a guest that outlives them, and an end to all. */
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createSessions, type SessionsOptions } from '../../src/client/registry.ts';
import type { Session, Sessions, StartOptions } from '../../src/client/sessions.ts';
import {
  type ClientIdentity,
  type Limits,
  NO_LISTS,
  type SessionInfo,
  type SessionRecord,
} from '../../src/host/protocol.ts';
import { liveRecords } from '../../src/host/records.ts';
import { STATE_SCHEMA } from '../../src/state-file/schema.ts';

export const CLI = resolve('src/cli.ts');
export const SIMULATOR = resolve('src/simulator/main.ts');
export const AGENT: ClientIdentity = { kind: 'agent', name: 'test-agent' };
export const PERSON: ClientIdentity = { kind: 'person', name: 'Minsu' };
export const KEY = 'abcd1efgh2ijk.lmno3pqrs4tuv.wxyz5abcd6efg.hijk7lmno8pqr';

/** For agents that send .sleep, which stands for a command that takes its time. */
export const UNRESTRICTED: Limits = { level: 'unrestricted', security: NO_LISTS };

export interface Rig {
  readonly home: string;
  /** A client of its own; disposed with the rig. */
  sessions(identity?: ClientIdentity, options?: Partial<SessionsOptions>): Sessions;
  /** A KDNET connection to a simulated guest whose state is kept in a file. */
  readonly guest: SimulatedGuest;
  /** Kills hosts that still live and removes the home. */
  dispose(): Promise<void>;
}

export interface SimulatedGuest {
  readonly port: number;
  start(scenario?: string, more?: readonly string[]): StartOptions;
  /** What the guest does when nobody looks: `running`, `frozen`. */
  state(): string;
  /** Breaks that have stopped it so far. */
  breaks(): number;
  /** Addresses of break instructions in its memory. */
  patched(): readonly string[];
  /** A line for the guest of the kd that runs now, started with `--control`. */
  tell(line: string): Promise<string>;
  /** The arguments that make {@link tell} work. */
  readonly control: readonly string[];
  /** Writes a state file with its key, as WinRM-MCP does. */
  stateFile(): string;
}

/** A UDP port that nobody has now; the system gives another one to whoever asks next. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.bind({ port: 0, address: '127.0.0.1', exclusive: true }, () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });
}

export async function createRig(): Promise<Rig> {
  const home = mkdtempSync(join(tmpdir(), 'kdh-'));
  const opened: Sessions[] = [];
  const port = await freePort();
  const file = join(home, 'guest.json');
  const socket = process.platform === 'win32' ? `\\\\.\\pipe\\${basename(home)}` : join(home, 'guest.sock');
  return {
    home,
    sessions: (identity = AGENT, options = {}) => {
      const sessions = createSessions({
        home,
        identity,
        program: { command: process.execPath, script: CLI },
        ...options,
      });
      opened.push(sessions);
      return sessions;
    },
    guest: {
      port,
      start: (scenario = 'idle', more = []) => ({
        connection: { transport: 'net', port, key: KEY },
        kd: [process.execPath, SIMULATOR, '--scenario', scenario, '--guest', file, ...more],
      }),
      state: () => String(JSON.parse(readFileSync(file, 'utf8')).state),
      breaks: () => JSON.parse(readFileSync(file, 'utf8')).interrupts,
      patched: () => JSON.parse(readFileSync(file, 'utf8')).patched,
      tell: (line) => tell(socket, line),
      control: ['--control', socket],
      stateFile: () => writeStateFile(join(home, 'state.json'), port),
    },
    dispose: async () => {
      for (const sessions of opened) sessions.dispose();
      const left = liveRecords(home);
      for (const record of left) kill(record.hostPid);
      for (const record of left) {
        await gone(record.hostPid);
        if (record.kdPid !== undefined) await gone(record.kdPid);
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function tell(socket: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.write(`${line}\n`));
    connection.once('error', reject);
    connection.setEncoding('utf8').once('data', (answer: string) => {
      connection.destroy();
      resolve(answer.trim());
    });
  });
}

function writeStateFile(path: string, port: number): string {
  const addresses = { guest_host: '10.0.0.2', host_ip: '10.0.0.1' };
  writeFileSync(path, JSON.stringify({ schema: STATE_SCHEMA, ...addresses, port, key: KEY }));
  return path;
}

export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  // 0 is this whole group: the test runner, and whoever started it.
  if (pid <= 0) throw new Error('There is no such process to kill: the session was not there.');
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A process that ended and that nobody waited for is no process.
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
    }
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits for a condition that no event tells. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  ms = 20_000,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not so after ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const gone = (pid: number): Promise<void> => until(`process ${pid} is gone`, () => !isAlive(pid));

/** The first state of a session that fits. */
export function whenInfo(
  session: Session,
  fits: (info: SessionInfo) => boolean,
  ms = 20_000,
): Promise<SessionInfo> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      changes.dispose();
      reject(new Error(`no such state after ${ms} ms; last: ${JSON.stringify(session.info.status)}`));
    }, ms);
    const look = (info: SessionInfo): void => {
      if (!fits(info)) return;
      clearTimeout(timer);
      changes.dispose();
      resolve(info);
    };
    const changes = session.onChange(look);
    look(session.info);
  });
}

export function whenClosed(session: Session): Promise<void> {
  if (!session.connected) return Promise.resolve();
  return new Promise((resolve) => {
    session.onClose(() => resolve());
  });
}

export async function textOf(session: Session, part: { from: number; to: number }): Promise<string> {
  return (await session.read({ from: part.from, maxBytes: part.to - part.from })).text;
}

/** The last end of a session, once it is written. */
export async function endedRecord(sessions: Sessions, id: string): Promise<SessionRecord> {
  let found: SessionRecord | undefined;
  await until(`session ${id} has ended`, async () => {
    await sessions.list();
    found = (await sessions.ended()).find((record) => record.id === id);
    return found !== undefined;
  });
  if (found === undefined) throw new Error('unreachable');
  return found;
}
