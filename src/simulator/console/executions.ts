/** The commands that are under way: the line, what it called, and above them what belongs to a stop. */
import { CommandError, type Execution, type Step } from './command.ts';

interface Running {
  readonly execution: Execution;
  /** Belongs to a stop: whatever is left of it is dropped when the target runs again. */
  readonly transient: boolean;
}

export class Executions {
  #running: Running[] = [];

  get idle(): boolean {
    return this.#running.length === 0;
  }

  push(execution: Execution, transient: boolean): void {
    this.#running.push({ execution, transient });
  }

  /** Forgets everything. */
  clear(): void {
    this.#running = [];
  }

  /** Forgets what belonged to the stop that is over. */
  resumed(): void {
    this.#running = this.#running.filter((r) => !r.transient);
  }

  /**
   * The next step of the innermost command, or undefined when it has ended. A command that fails ends with its error
   * text as the last step.
   */
  next(answer: string): Step | undefined {
    const current = this.#running.at(-1);
    if (!current) return undefined;
    try {
      const result = current.execution.next(answer);
      if (!result.done) return result.value;
      this.#remove(current);
      return undefined;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#remove(current);
      return error.shown;
    }
  }

  #remove(running: Running): void {
    this.#running = this.#running.filter((r) => r !== running);
  }
}
