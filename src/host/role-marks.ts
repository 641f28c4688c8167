/**
 * What in the transcript is no plain output of kd: prompts, command lines with their authors, remarks. With it a client
 * that is sent a part of the file again sees the same as one that was there.
 */
import type { OutputRole } from './protocol.ts';
import type { Slice } from './slice.ts';

/** The newest ones; about as much as a terminal shows of the past, and little memory. */
const KEPT = 2000;

interface Mark {
  readonly from: number;
  readonly to: number;
  readonly role: OutputRole;
}

export interface RolePiece extends Mark {
  readonly text: string;
}

const KD: OutputRole = { kind: 'kd' };

export class RoleMarks {
  /** In the order of the file, without overlaps. */
  #marks: Mark[] = [];

  add(from: number, to: number, role: OutputRole): void {
    if (role.kind === 'kd' || to <= from) return;
    this.#marks.push({ from, to, role });
    if (this.#marks.length > 2 * KEPT) this.#marks = this.#marks.slice(-KEPT);
  }

  /**
   * The slice by roles. A marked part that goes on behind the slice is left out, unless it begins with it: read on from
   * the end of the last piece.
   */
  split({ from, to, text }: Pick<Slice, 'from' | 'to' | 'text'>): readonly RolePiece[] {
    const within = this.#marks.slice(this.#firstBehind(from)).filter((mark) => mark.from < to);
    if (within.length === 0) return [{ from, to, text, role: KD }];
    const bytes = Buffer.from(text);
    const pieces: RolePiece[] = [];
    const add = (begin: number, end: number, role: OutputRole): void => {
      if (end > begin)
        pieces.push({ from: begin, to: end, role, text: bytes.toString('utf8', begin - from, end - from) });
    };
    let at = from;
    for (const mark of within) {
      add(at, Math.max(at, mark.from), KD);
      at = Math.max(at, mark.from);
      if (mark.to > to && at > from) return pieces;
      add(at, Math.min(mark.to, to), mark.role);
      at = Math.min(mark.to, to);
    }
    add(at, to, KD);
    return pieces;
  }

  /** Index of the first mark that ends behind `offset`. */
  #firstBehind(offset: number): number {
    let low = 0;
    let high = this.#marks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.to ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
