/**
 * Streams the transcript to one client. What a slow client has not taken yet stays in the file, not in memory.
 */
import type { OutputRole } from './protocol.ts';
import type { Transcript } from './transcript.ts';

const SLICE_BYTES = 32 * 1024;
/** Sent and not yet taken by the client; with more than this, the file is read again later. */
const MAX_UNTAKEN = 256 * 1024;

export type SendOutput = (piece: {
  readonly from: number;
  readonly text: string;
  readonly role: OutputRole;
}) => Promise<void>;

export class Follower {
  readonly #transcript: Transcript;
  readonly #send: SendOutput;
  readonly from: number;
  #cursor: number;
  #started = false;
  #untaken = 0;
  #pumping = false;
  #ended = false;

  constructor(transcript: Transcript, from: number, send: SendOutput) {
    this.#transcript = transcript;
    this.#send = send;
    // Not inside a character.
    this.from = transcript.read(Math.max(0, from), 1).from;
    this.#cursor = this.from;
    // The answer to the request goes out first: with it the client knows where the stream begins.
    setImmediate(() => {
      this.#started = true;
      void this.#pump();
    });
  }

  appended(from: number, to: number, text: string, role: OutputRole): void {
    if (!this.#started) return;
    const direct = from === this.#cursor && !this.#pumping && this.#untaken < MAX_UNTAKEN;
    if (direct) void this.#deliver(from, to, text, role);
    else void this.#pump();
  }

  async #deliver(from: number, to: number, text: string, role: OutputRole): Promise<void> {
    this.#cursor = to;
    this.#untaken += to - from;
    try {
      await this.#send({ from, text, role });
    } catch {
      // The client is gone; its connection says so.
      this.#ended = true;
    }
    this.#untaken -= to - from;
    if (this.#cursor < this.#transcript.end) void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#pumping || this.#untaken >= MAX_UNTAKEN) return;
    this.#pumping = true;
    while (!this.#ended && this.#cursor < this.#transcript.end) {
      const pieces = this.#transcript.roles.split(this.#transcript.read(this.#cursor, SLICE_BYTES));
      this.#cursor = pieces.at(-1)?.to ?? this.#transcript.end;
      try {
        // In order; the last one is out when all are.
        await Promise.all(pieces.map(({ from, text, role }) => this.#send({ from, text, role })));
      } catch {
        this.#ended = true;
      }
    }
    this.#pumping = false;
  }

  dispose(): void {
    this.#ended = true;
  }
}
