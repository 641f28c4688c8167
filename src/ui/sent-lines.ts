/** The lines that a console sends to kd, what became of them, and which of them readline has shown already. */
import type { Session } from '../client/sessions.ts';
import type { OutputRole } from '../host/protocol.ts';
import { forPeople } from './for-people.ts';
import type { Translate } from './l10n.ts';

/** How long a command of a person may take until its request is given up; its output keeps coming all the same. */
export const COMMAND_TIMEOUT = 24 * 3600 * 1000;

export interface SentLinesOptions {
  readonly session: Pick<Session, 'command'>;
  /** Name under which this console's own commands come back. */
  readonly person: string;
  readonly remark: (text: string) => void;
  readonly t: Translate;
}

export class SentLines {
  readonly #options: SentLinesOptions;
  /** Shown as they were typed; the transcript has not brought them back yet. */
  readonly #typed: string[] = [];

  constructor(options: SentLinesOptions) {
    this.#options = options;
  }

  /** `shown`: they stand on the screen, as they were typed. `answer`: kd asked for one. */
  send(lines: readonly string[], { shown, answer = false }: { shown: boolean; answer?: boolean }): void {
    const { session, remark, t } = this.#options;
    if (shown) this.#typed.push(...lines);
    session.command(lines, { timeoutMs: COMMAND_TIMEOUT, ...(answer ? { answer } : {}) }).then(
      ({ results }) => {
        for (const dropped of results.filter((result) => result.outcome === 'dropped')) {
          this.#forget(dropped.text);
          remark(t('Not sent, the target was resumed before: {0}', dropped.text));
        }
      },
      (error: unknown) => {
        if (shown) for (const line of lines) this.#forget(line);
        remark(forPeople(error instanceof Error ? error.message : String(error), t));
      },
    );
  }

  /** This piece of the transcript is a line that stands on the screen already. */
  isEcho(text: string, role: OutputRole): boolean {
    if (role.kind !== 'command' || role.by.kind !== 'person' || role.by.name !== this.#options.person)
      return false;
    return this.#forget(text.replace(/\r?\n$/, ''));
  }

  #forget(line: string): boolean {
    const index = this.#typed.indexOf(line);
    if (index < 0) return false;
    this.#typed.splice(index, 1);
    return true;
  }
}
