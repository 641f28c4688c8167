/** A debugger that speaks KDNET as far as a target can tell, for the wire face as a real process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type KeyObject, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { channelOf, openDatagram, sealDatagram } from '../../src/simulator/wire/datagram.ts';
import { answerBody } from '../../src/simulator/wire/handshake.ts';
import { dataKey, keysOf } from '../../src/simulator/wire/keys.ts';
import { ModelHost, type Received } from '../unit/simulator/wire/model-host.ts';

const MAIN = fileURLToPath(new URL('../../src/simulator/main.ts', import.meta.url));
export const WIRE_KEY = '1.2.3.4';
const VERSION = 4;
const PATIENCE_MS = 20_000;

function knownKeys() {
  const keys = keysOf(WIRE_KEY);
  if (!keys) throw new Error('the key of the tests is none');
  return keys;
}

export class WireHost {
  readonly model: ModelHost;
  /** Offers that were answered: one for each start of the guest. */
  sessions = 0;
  readonly #socket: Socket;
  readonly #keys = knownKeys();
  readonly #nonce = randomBytes(32);
  readonly #waiting = new Set<() => void>();
  #targetNonce: Buffer | undefined;
  #dataKey: KeyObject | undefined;
  #confirmed = false;
  #targetPort = 0;
  #sequence = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.model = new ModelHost((body) => this.#send(body));
    socket.on('message', (bytes, from) => this.#receive(bytes, from.port));
  }

  /** Listens on a port, a free one if none is named. */
  static async open(port = 0): Promise<WireHost> {
    const socket = createSocket('udp4');
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return new WireHost(socket);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Waits until something that arrived makes it true. */
  async until<T>(look: () => T | undefined | false): Promise<T> {
    const deadline = setTimeout(() => this.#wake(), PATIENCE_MS);
    const end = performance.now() + PATIENCE_MS;
    try {
      for (;;) {
        const found = look();
        if (found) return found;
        if (performance.now() >= end) throw new Error(`not within ${PATIENCE_MS} ms: ${look}`);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** The first message of a type from an index on. */
  message(type: number, from = 0): Promise<Received> {
    return this.until(() => this.model.received.slice(from).find((r) => r.type === type));
  }

  close(): Promise<void> {
    this.model.forget();
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #send(body: Uint8Array): void {
    if (!this.#dataKey) return;
    const keys = { cipher: this.#dataKey, authentication: this.#keys.authentication };
    const datagram = {
      version: VERSION,
      channel: 'data',
      from: 'host',
      sequence: ++this.#sequence,
      body,
    } as const;
    this.#socket.send(sealDatagram(datagram, keys), this.#targetPort, '127.0.0.1');
  }

  #receive(bytes: Buffer, port: number): void {
    const { authentication } = this.#keys;
    const cipher = channelOf(bytes) === 'control' ? this.#keys.control : this.#dataKey;
    const datagram = cipher && openDatagram(bytes, { cipher, authentication });
    if (datagram?.channel === 'data') {
      this.#confirmed = true;
      this.model.receive(datagram.body);
    }
    if (datagram?.channel === 'control') this.#offered(Buffer.from(datagram.body), datagram.sequence, port);
    this.#wake();
  }

  /** As the engine does it: the same offer is answered until data shows that the answer has arrived. */
  #offered(offer: Buffer, sequence: number, port: number): void {
    const nonce = offer.subarray(2, 34);
    const again = this.#targetNonce?.equals(nonce) ?? false;
    if (again && this.#confirmed) return;
    this.#confirmed = false;
    this.#targetNonce = nonce;
    this.#targetPort = port;
    const body = answerBody(nonce, this.#nonce);
    const keys = { cipher: this.#keys.control, authentication: this.#keys.authentication };
    const datagram = { version: VERSION, channel: 'control', from: 'host', sequence, body } as const;
    this.#socket.send(sealDatagram(datagram, keys), port, '127.0.0.1');
    this.#dataKey = dataKey(this.#keys, body);
    if (again) return;
    this.sessions++;
    this.model.startOver();
    this.model.askAgain();
  }
}

export interface WireTarget {
  readonly child: ChildProcess;
  readonly directory: string;
  /** Writes a control line to stdin and returns its answer. */
  tell(line: string): Promise<string>;
  state(): Promise<Record<string, unknown>>;
  readonly exited: Promise<number | null>;
  dispose(): Promise<void>;
}

/** Starts the wire face against a host's port. */
export function startWireTarget(port: number, ...args: readonly string[]): WireTarget {
  const directory = mkdtempSync(join(tmpdir(), 'kd-wire-'));
  const child = spawn(
    process.execPath,
    [MAIN, '--wire', '--port', String(port), '--key', WIRE_KEY, ...args],
    { stdio: ['pipe', 'pipe', 'inherit'], cwd: directory },
  );
  child.stdin.on('error', () => {});
  const answers: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!/^(ok|no |error |\{)/.test(line)) return;
    const wake = waiting.shift();
    if (wake) wake(line);
    else answers.push(line);
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  const tell = (line: string) => {
    child.stdin.write(`${line}\n`);
    const ready = answers.shift();
    return ready === undefined
      ? new Promise<string>((resolve) => waiting.push(resolve))
      : Promise.resolve(ready);
  };
  return {
    child,
    directory,
    tell,
    state: async () => JSON.parse(await tell('state')) as Record<string, unknown>,
    exited,
    async dispose() {
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
