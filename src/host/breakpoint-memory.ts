/** The breakpoints of a session and those that a restart of the target took. */
import type { Actor, Notice } from '../kd/model.ts';
import { afterCommand, type Breakpoint } from './breakpoints.ts';

export class BreakpointMemory {
  #list: readonly Breakpoint[] = [];
  #lost: readonly string[] = [];
  #notice: Notice | undefined;

  get list(): readonly Breakpoint[] {
    return this.#list;
  }

  /** How many of them are in the target's memory while it runs. */
  get left(): number {
    return this.#list.filter((one) => one.enabled).length;
  }

  /** Commands that set what is gone and was not set again. */
  get lost(): readonly string[] {
    return this.#lost;
  }

  get notice(): Notice | undefined {
    return this.#notice;
  }

  /** Who set this one, as far as the commands tell. */
  ownerOf(number: number): Actor | undefined {
    return this.#list.find((one) => one.number === number)?.by;
  }

  executed(line: string, by: Actor, output: string): void {
    this.#list = afterCommand(this.#list, line, by, output);
    const set = new Set(this.#list.map((one) => one.command));
    this.#lost = this.#lost.filter((command) => !set.has(command));
    if (this.#lost.length === 0) this.#notice = undefined;
  }

  /** kd forgets all when the target restarts (engine.md §5). Returns what to say about it; nothing is set again unasked. */
  targetRestarted(now: number): string | undefined {
    if (this.#list.length === 0) return undefined;
    const commands = [...new Set(this.#list.map((one) => one.command))];
    this.#list = [];
    this.#lost = [...new Set([...this.#lost, ...commands])];
    const text = `The target restarted; ${commands.length} breakpoint${commands.length === 1 ? ' is' : 's are'} gone: ${commands.join(' · ')}. Set them again when the target has stopped.`;
    this.#notice = { kind: 'breakpoints-lost', text, at: now, count: 1 };
    return text;
  }
}
