/** What a person typed at kd's prompt, over sessions and windows; the newest first. No VS Code in here. */
import type { Memory } from './ended-sessions.ts';

const KEY = 'kdMcp.history';
const LENGTH = 200;

export class CommandHistory {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get lines(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }

  add(line: string): void {
    const before = this.lines.filter((each) => each !== line);
    void this.#memory.update(KEY, [line, ...before].slice(0, LENGTH));
  }
}
