/** One stream of a session's transcript, shared by any number of listeners that begin where they like. */
import type { OutputRole } from '../host/protocol.ts';
import type { Disposable } from './sessions.ts';

export interface OutputPiece {
  readonly from: number;
  readonly text: string;
  readonly role: OutputRole;
}
export type OutputListener = (piece: { from: number; text: string; role: OutputRole }) => void;

interface Listening {
  /** Offset of the next byte that this listener has not got. */
  next: number;
  /** The host has answered where its stream begins. */
  started: boolean;
  readonly listener: OutputListener;
}

export class OutputStream {
  readonly #restart: (from: number) => Promise<number>;
  readonly #listening = new Set<Listening>();

  /** `restart` makes the host send everything from an offset on; it answers where that really begins, and first. */
  constructor(restart: (from: number) => Promise<number>) {
    this.#restart = restart;
  }

  async follow(from: number, listener: OutputListener): Promise<Disposable> {
    const entry: Listening = { next: from, started: false, listener };
    this.#listening.add(entry);
    try {
      // The others have what the host sends again, and skip it.
      const wanted = Math.min(...[...this.#listening].map((one) => one.next));
      const begins = await this.#restart(wanted);
      // There is not that much yet, or that was inside a character.
      entry.next = wanted < from ? Math.max(from, begins) : begins;
      entry.started = true;
    } catch (error) {
      this.#listening.delete(entry);
      throw error;
    }
    return { dispose: () => this.#listening.delete(entry) };
  }

  receive(piece: OutputPiece): void {
    const to = piece.from + Buffer.byteLength(piece.text);
    for (const entry of [...this.#listening]) {
      // What lies behind a gap was sent before the host began anew: it comes again.
      if (!entry.started || to <= entry.next || piece.from > entry.next) continue;
      const known = entry.next - piece.from;
      entry.next = to;
      const text = known === 0 ? piece.text : Buffer.from(piece.text).toString('utf8', known);
      entry.listener({ from: piece.from + known, text, role: piece.role });
    }
  }
}
