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
  readonly listener: OutputListener;
}

export class OutputStream {
  readonly #restart: (from: number) => Promise<number>;
  readonly #listening = new Set<Listening>();

  /** `restart` makes the host send everything from an offset on; it answers where it really begins. */
  constructor(restart: (from: number) => Promise<number>) {
    this.#restart = restart;
  }

  async follow(from: number, listener: OutputListener): Promise<Disposable> {
    const entry: Listening = { next: from, listener };
    this.#listening.add(entry);
    try {
      // The others have what the host sends again, and skip it.
      const wanted = Math.min(...[...this.#listening].map((one) => one.next));
      const begins = await this.#restart(wanted);
      // There is not that much yet.
      if (wanted === from && begins < from) entry.next = Math.min(entry.next, begins);
    } catch (error) {
      this.#listening.delete(entry);
      throw error;
    }
    return { dispose: () => this.#listening.delete(entry) };
  }

  receive(piece: OutputPiece): void {
    const bytes = Buffer.byteLength(piece.text);
    const to = piece.from + bytes;
    for (const entry of [...this.#listening]) {
      if (to <= entry.next) continue;
      const known = Math.max(0, entry.next - piece.from);
      entry.next = to;
      const text = known === 0 ? piece.text : Buffer.from(piece.text).toString('utf8', known);
      entry.listener({ from: piece.from + known, text, role: piece.role });
    }
  }
}
