/** Tells what is pasted from what is typed: the terminal puts pasted text between two marks when it is asked to. */

/** Asks the terminal for the marks. It then leaves the question about several lines to us. */
export const MARK_PASTES = '\x1b[?2004h';
const BEGIN = '\x1b[200~';
const END = '\x1b[201~';

export type Keys = { readonly kind: 'typed' | 'pasted'; readonly text: string };

export class PasteReader {
  /** The beginning of a paste whose end has not come yet. */
  #open: string | undefined;

  /** A paste comes out in one piece, however it arrives. */
  read(input: string): readonly Keys[] {
    const found: Keys[] = [];
    let rest = input;
    while (rest !== '') {
      if (this.#open === undefined) {
        const begin = rest.indexOf(BEGIN);
        const typed = begin < 0 ? rest : rest.slice(0, begin);
        if (typed !== '') found.push({ kind: 'typed', text: typed });
        if (begin < 0) return found;
        this.#open = '';
        rest = rest.slice(begin + BEGIN.length);
      }
      const text: string = this.#open + rest;
      const end = text.indexOf(END);
      if (end < 0) {
        this.#open = text;
        return found;
      }
      this.#open = undefined;
      found.push({ kind: 'pasted', text: text.slice(0, end) });
      rest = text.slice(end + END.length);
    }
    return found;
  }
}
