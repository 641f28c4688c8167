/** Runs the simulator as a real child process and waits for what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notOnWindows } from './not-on-windows.ts';

// Whoever imports this interrupts.
notOnWindows("Node's kill() ends a program there; a Ctrl+C comes through its console");

const MAIN = fileURLToPath(new URL('../../src/simulator/main.ts', import.meta.url));
const PATIENCE_MS = 20_000;

export interface SimulatorExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SimulatorProcess {
  readonly child: ChildProcess;
  readonly directory: string;
  /** All bytes so far. */
  bytes(): Buffer;
  /** All text so far, with CRLF as `\n`. */
  text(): string;
  /** The text behind the last `until`. */
  rest(): string;
  /** Writes one line. */
  send(line: string): void;
  write(bytes: string | Buffer): void;
  /** Waits for text behind the last `until` and returns everything up to its end. */
  until(expected: string | RegExp): Promise<string>;
  /** Writes a line and returns what came up to the next prompt, without it. */
  ask(line: string): Promise<string>;
  /** Ctrl+C. */
  interrupt(): void;
  control(line: string): Promise<string>;
  state(): Promise<Record<string, unknown>>;
  /** Connects and breaks in; returns what was printed. */
  breakIn(): Promise<string>;
  readonly exited: Promise<SimulatorExit>;
  dispose(): Promise<void>;
}

const running = new Set<SimulatorProcess>();

/** Ends all simulators of a test file. */
export async function disposeSimulators(): Promise<void> {
  await Promise.all([...running].map((s) => s.dispose()));
}

/** A UDP port is asked for by many tests at once: each takes its own. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** Starts a simulator. Without a transport among the arguments it gets KDNET on a free port. */
export async function startSimulator(...args: readonly string[]): Promise<SimulatorProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'kd-simulator-'));
  const control =
    process.platform === 'win32' ? `\\\\.\\pipe\\${directory.replaceAll('\\', '-')}` : join(directory, 'c');
  const hasTarget = args.some((a) => ['-k', '-kl', '-z', '-remote', '-version'].includes(a));
  const target = hasTarget ? [] : ['-k', `net:port=${await freePort()},key=1.2.3.4`];
  const child = spawn(process.execPath, [MAIN, ...target, '--control', control, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: directory,
  });
  const chunks: Buffer[] = [];
  let text = '';
  /** A CR whose LF may still come. */
  let carried = '';
  let from = 0;
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    const arrived = carried + chunk.toString('latin1');
    carried = arrived.endsWith('\r') ? '\r' : '';
    text += (carried === '' ? arrived : arrived.slice(0, -1)).replaceAll('\r\n', '\n');
    for (const wake of waiting) wake();
  });
  // A line that is written while the simulator ends is nobody's concern.
  child.stdin.on('error', () => {});
  const exited = new Promise<SimulatorExit>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal });
      for (const wake of waiting) wake();
    });
  });
  const shown = () => text;

  function find(expected: string | RegExp): number {
    if (typeof expected === 'string') {
      const at = text.indexOf(expected, from);
      return at < 0 ? -1 : at - from + expected.length;
    }
    const rest = text.slice(from);
    const match = expected.exec(rest);
    return match ? match.index + match[0].length : -1;
  }

  function until(expected: string | RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const give = () => {
        waiting.delete(look);
        clearTimeout(timer);
      };
      const look = () => {
        const end = find(expected);
        if (end >= 0) {
          give();
          const found = shown().slice(from, from + end);
          from += end;
          resolve(found);
        } else if (child.exitCode !== null && child.stdout.readableEnded) {
          give();
          reject(new Error(`kd ended before ${String(expected)}; it printed:\n${shown().slice(from)}`));
        }
      };
      const timer = setTimeout(() => {
        give();
        reject(new Error(`no ${String(expected)} in:\n${shown().slice(from)}`));
      }, PATIENCE_MS);
      waiting.add(look);
      look();
    });
  }

  const simulator: SimulatorProcess = {
    child,
    directory,
    bytes: () => Buffer.concat(chunks),
    text: shown,
    rest: () => shown().slice(from),
    send: (line) => child.stdin.write(`${line}\n`),
    write: (bytes) => child.stdin.write(bytes),
    until,
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const answer = await until(/l?kd(:x86)?> $/);
      return answer.replace(/(\d+: )?l?kd(:x86)?> $/, '');
    },
    interrupt: () => child.kill('SIGINT'),
    control: (line) => request(control, line),
    state: async () => JSON.parse(await request(control, 'state')) as Record<string, unknown>,
    async breakIn() {
      await until('.kdtargetmac command.\n');
      child.kill('SIGINT');
      return until('kd> ');
    },
    exited,
    async dispose() {
      running.delete(simulator);
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  running.add(simulator);
  return simulator;
}

function request(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path, () => socket.write(`${line}\n`));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (!answer.endsWith('\n')) return;
      socket.end();
      resolve(answer.trimEnd());
    });
    socket.on('error', reject);
  });
}
