/** The simulator on a bare pipe: what every figure is held against. Does no more than send lines and look for a marker. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const MARKER = 'BENCH_MARK_';

export class RawKd {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #tail = '';
  #awaited: { text: string; done: () => void } | undefined;
  #markers = 0;

  private constructor(program: readonly [string, ...string[]]) {
    const [command, ...args] = program;
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], windowsHide: true });
    this.#child.stdout.on('data', (bytes: Buffer) => this.#received(bytes));
  }

  /** Starts it and breaks in as soon as it has printed `ready`. */
  static async start(
    program: readonly [string, ...string[]],
    ready = 'Waiting to reconnect...',
  ): Promise<RawKd> {
    const kd = new RawKd(program);
    await kd.#until(ready);
    // Byte 06 is a break request on stdin, on every system.
    kd.#child.stdin.write('\x06\n');
    await kd.#until('kd> ');
    await kd.run('.echo');
    return kd;
  }

  /** Settles when the command's output has come, to the last byte. */
  async run(command: string): Promise<void> {
    const marker = `${MARKER}${++this.#markers}_`;
    const ended = this.#until(marker);
    this.#child.stdin.write(`${command}\n.echo\n.echo ${marker}\n`);
    await ended;
  }

  #until(text: string): Promise<void> {
    return new Promise((done) => {
      this.#awaited = { text, done };
    });
  }

  #received(bytes: Buffer): void {
    const awaited = this.#awaited;
    const text = this.#tail + bytes.toString('latin1');
    this.#tail = text.slice(-200);
    if (awaited === undefined || !text.includes(awaited.text)) return;
    this.#tail = '';
    this.#awaited = undefined;
    awaited.done();
  }

  dispose(): Promise<void> {
    return new Promise((gone) => {
      this.#child.once('exit', () => gone());
      this.#child.stdin.write('qd\n');
    });
  }
}
