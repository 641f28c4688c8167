/** The command that kd executes, from the line sent to its end. There is one at a time. */
import type { LineEffect } from './command.ts';
import type { CommandOutcome } from './model.ts';

export interface Settled {
  readonly outcome: CommandOutcome;
  readonly error?: string;
}

export class ActiveCommand {
  readonly seq: number;
  readonly text: string;
  readonly effect: LineEffect;
  readonly settled: Promise<Settled>;
  /** A break was asked for while it ran. */
  interrupted = false;
  /** First line in which kd refused it. */
  error: string | undefined;
  #settle: (result: Settled) => void = () => {};

  constructor(seq: number, text: string, effect: LineEffect) {
    this.seq = seq;
    this.text = text;
    this.effect = effect;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** It let the target run. A branch may have (`.if (…) { g }`): then the words of a stop are the evidence. */
  mayHaveRun(evidence: boolean): boolean {
    const { resumes, reboots, mayResume } = this.effect;
    return resumes || reboots || (mayResume && evidence);
  }

  settle(outcome: CommandOutcome): void {
    this.#settle(this.error === undefined ? { outcome } : { outcome, error: this.error });
  }
}
