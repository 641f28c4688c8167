/** The console program as a process, its pipes in the test's hands. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { kdProgram } from './engine.ts';

export interface Kd {
  readonly pid: number;
  /** A folder of its own, its working folder. */
  readonly folder: string;
  /** All of stdout so far, line ends as they came. */
  readonly text: () => string;
  /** Waits until what came since the last match matches, and goes on behind the match. */
  readonly shows: (pattern: RegExp, ms?: number) => Promise<RegExpExecArray>;
  readonly write: (bytes: string | Uint8Array) => void;
  /** Runs a command at the prompt and gives its output, lines ended by `\n`. */
  readonly run: (command: string, ms?: number) => Promise<string>;
  /** Ctrl+C. */
  readonly interrupt: () => void;
  /** The end of the input. */
  readonly closeInput: () => void;
  readonly exited: Promise<number | string | null>;
}

export const PROMPT = /(?:\d+: )?kd> $/;
const PATIENCE_MS = 20_000;

/** Starts kd; it ends with the test. */
export function startKd(args: readonly string[], host: 'english' | 'korean' = 'english'): Kd {
  return startProgram([kdProgram(host)], args);
}

/** Starts a program that behaves like kd. Bytes and characters are the same (latin1). */
export function startProgram(
  [program, ...leading]: readonly [string, ...string[]],
  args: readonly string[],
): Kd {
  const folder = mkdtempSync(join(tmpdir(), 'kd-engine-'));
  const child = spawn(program, [...leading, ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  let seen = 0;
  let ended = false;
  let count = 0;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of [...waiting]) look();
  };
  const take = (bytes: Buffer): void => {
    text += bytes.toString('latin1');
    wake();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  child.stdin.on('error', () => {});
  const exited = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => {
      ended = true;
      wake();
      resolve(code ?? signal);
    }),
  );
  const shows = (pattern: RegExp, ms = PATIENCE_MS): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const finish = (failure?: string): void => {
        clearTimeout(timer);
        waiting.delete(look);
        if (failure !== undefined)
          reject(new Error(`${failure}; the end: ${JSON.stringify(text.slice(-800))}`));
      };
      const look = (): void => {
        const match = pattern.exec(text.slice(seen));
        if (match) {
          seen += match.index + match[0].length;
          finish();
          resolve(match);
        } else if (ended) finish(`kd has ended without ${pattern}`);
      };
      const timer = setTimeout(() => finish(`no ${pattern} in ${ms} ms`), ms);
      waiting.add(look);
      look();
    });
  const write = (bytes: string | Uint8Array): void => {
    child.stdin.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  };
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    pid: child.pid ?? 0,
    folder,
    text: () => text,
    shows,
    write,
    run: async (command, ms) => {
      const mark = `--end-${count++}--`;
      write(`${command}\n.echo\n.echo ${mark}\n`);
      const match = await shows(
        new RegExp(`([\\s\\S]*?)(?:(?:\\d+: )?kd> )?\\r\\n(?:\\d+: )?kd> ${mark}\\r\\n(?:\\d+: )?kd> `),
        ms,
      );
      return (match[1] ?? '').replaceAll('\r\n', '\n').replace(/^(?:(?:\d+: )?kd> )+/, '');
    },
    interrupt: () => child.kill('SIGINT'),
    closeInput: () => child.stdin.end(),
    exited,
  };
}

/** Starts kd on a guest's connection, waits for the link, and stops the guest. */
export async function stoppedKd(
  connection: { readonly port: number; readonly key: string },
  args: readonly string[] = [],
  host: 'english' | 'korean' = 'english',
): Promise<Kd> {
  const kd = startKd([...args, '-k', `net:port=${connection.port},key=${connection.key}`], host);
  await kd.shows(/\.kdtargetmac command\.\r\n/);
  kd.interrupt();
  await kd.shows(PROMPT);
  return kd;
}
