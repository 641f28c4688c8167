/**
 * First in, first out: who may use kd's prompt next. Only what is sent to the prompt takes a turn; looking, breaking in
 * and stopping do not.
 */

/** Why a turn never came. */
export type Dropped = { readonly ok: false; readonly reason: string };
export type Granted = { readonly ok: true };

export interface Turn {
  readonly granted: Promise<Granted | Dropped>;
  /** Gives up a turn that has not come. False when it has. */
  withdraw(reason: string): boolean;
  /** Gives the prompt to the next one. */
  done(): void;
}

interface Waiting {
  /** Why this turn makes no sense any more; asked when it comes. */
  readonly stale: () => string | undefined;
  readonly settle: (result: Granted | Dropped) => void;
}

export class Turns {
  readonly #waiting: Waiting[] = [];
  #taken = false;

  /** Turns that wait; the one in progress not counted. */
  get length(): number {
    return this.#waiting.length;
  }

  take(stale: () => string | undefined = () => undefined): Turn {
    const { promise, resolve } = Promise.withResolvers<Granted | Dropped>();
    let mine = false;
    const waiting: Waiting = {
      stale,
      settle: (result) => {
        mine = result.ok;
        resolve(result);
      },
    };
    this.#waiting.push(waiting);
    // Settled in this very call when nobody waits: a command that can start is never seen as queued.
    if (!this.#taken) this.#next();
    return {
      granted: promise,
      withdraw: (reason) => {
        const at = this.#waiting.indexOf(waiting);
        if (at < 0) return false;
        this.#waiting.splice(at, 1);
        waiting.settle({ ok: false, reason });
        return true;
      },
      done: () => {
        if (!mine) return;
        mine = false;
        this.#taken = false;
        this.#next();
      },
    };
  }

  /** Nothing that waits will come to its turn. */
  dropAll(reason: string): void {
    for (const waiting of this.#waiting.splice(0)) waiting.settle({ ok: false, reason });
  }

  #next(): void {
    for (;;) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      const reason = waiting.stale();
      if (reason !== undefined) {
        waiting.settle({ ok: false, reason });
        continue;
      }
      this.#taken = true;
      waiting.settle({ ok: true });
      return;
    }
  }
}
