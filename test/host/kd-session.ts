/** A session engine over the simulator, as a process, with everything it tells written down. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Actor, CommandOutcome, SessionStatus } from '../../src/kd/model.ts';
import { createRedactor } from '../../src/kd/redact.ts';
import { KdSession, type SessionOptions } from '../../src/kd/session.ts';
import { notOnWindows } from './not-on-windows.ts';

// Whoever imports this breaks in.
notOnWindows('a break takes the console of its process, here of the test runner');

export const agent: Actor = { kind: 'agent', name: 'tester' };
export const simulator = path.join(import.meta.dirname, '../../src/simulator/main.ts');
export const key = '2steg4fzbj2sz.23418vzkd4ko3.1g34ou07z4pev.1sp3yo9yz874p';

let ports = 52_000 + (process.pid % 500) * 12;

export interface Driven {
  readonly session: KdSession;
  readonly status: SessionStatus;
  /** The transcript: command lines as `{command}`, remarks on lines of their own. */
  readonly transcript: () => string;
  readonly outcomes: () => readonly {
    seq: number;
    outcome: CommandOutcome;
    error: string | undefined;
    output: string;
  }[];
  /** Waits for a state; fails with the transcript's end. */
  readonly until: (condition: (status: SessionStatus) => boolean, ms?: number) => Promise<void>;
  /** Waits until the transcript matches. */
  readonly shows: (pattern: RegExp, ms?: number) => Promise<void>;
  /** Runs a command and gives its output. */
  readonly run: (command: string) => Promise<string>;
  /** A line for the simulated guest; resolves with its answer. */
  readonly tell: (line: string) => Promise<string>;
  readonly dispose: () => void;
}

/** Starts a simulated kd with the arguments given. */
export function drive(
  simulatorArgs: readonly string[],
  options: Partial<SessionOptions> & { readonly kernel?: string } = {},
): Driven {
  const folder = mkdtempSync(path.join(tmpdir(), 'kd-session-'));
  const control = path.join(folder, 'control.sock');
  const { kernel = `net:port=${ports++},key=${key}`, ...rest } = options;
  let transcript = '';
  const outputs = new Map<number, string>();
  const outcomes: { seq: number; outcome: CommandOutcome; error: string | undefined; output: string }[] = [];
  let current: number | undefined;
  const waiters = new Set<() => void>();
  const wake = (): void => {
    for (const check of [...waiters]) check();
  };
  const session = KdSession.start({
    program: [process.execPath, simulator],
    args: [...simulatorArgs, '--control', control, '-k', kernel, '-noshell'],
    redactor: createRedactor([key]),
    transport: 'net',
    workdir: mkdtempSync(path.join(folder, 'work-')),
    breakOnConnect: false,
    startedBy: agent,
    ...rest,
    events: {
      onTranscript: (piece) => {
        const text =
          piece.kind === 'command'
            ? `{${piece.text}}\n`
            : piece.kind === 'remark'
              ? `${piece.text}\n`
              : piece.text;
        transcript += text;
        if (current !== undefined && piece.kind === 'kd')
          outputs.set(current, (outputs.get(current) ?? '') + text);
        wake();
      },
      onStatus: wake,
      onCommandStart: (seq) => {
        current = seq;
      },
      onCommandEnd: (seq, outcome, error) => {
        current = undefined;
        outcomes.push({ seq, outcome, error, output: outputs.get(seq) ?? '' });
      },
    },
  });
  const wait = (condition: () => boolean, ms: number, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        waiters.delete(check);
        if (error) reject(error);
        else resolve();
      };
      const check = (): void => {
        if (condition()) finish();
      };
      const timer = setTimeout(
        () =>
          finish(
            new Error(`no ${what} in ${ms} ms; state ${session.status.state}; ${transcript.slice(-600)}`),
          ),
        ms,
      );
      waiters.add(check);
      check();
    });
  return {
    session,
    get status() {
      return session.status;
    },
    transcript: () => transcript,
    outcomes: () => outcomes,
    until: (condition, ms = 15_000) => wait(() => condition(session.status), ms, String(condition)),
    shows: (pattern, ms = 15_000) => wait(() => pattern.test(transcript), ms, String(pattern)),
    run: async (command) => {
      const { seq, settled } = session.run(command, agent);
      await settled;
      return outcomes.find((entry) => entry.seq === seq)?.output ?? '';
    },
    tell: (line) => ask(control, line),
    dispose: () => {
      session.kill('the test is over');
      void session.exited.then(() => rmSync(folder, { recursive: true, force: true }));
    },
  };
}

/** One line to the simulator's control socket, its answer back. */
export function ask(control: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(control);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString();
      if (answer.includes('\n')) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer.trim()));
    socket.write(`${line}\n`);
  });
}

/** A process of the simulator without a session around it, e.g. to hold a port. */
export function spawnSimulator(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [simulator, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}
