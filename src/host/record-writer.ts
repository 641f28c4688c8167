/** Keeps the record of a live session up to date, without a file write for each quick command. */
import { existsSync } from 'node:fs';
import type { SessionCore } from './core.ts';
import type { Disposable } from './disposable.ts';
import { sessionsFolder } from './home.ts';
import type { SessionRecord } from './protocol.ts';
import { claimRecord, recordPath, replaceRecord } from './records.ts';

const LATER_MS = 200;

export class RecordWriter implements Disposable {
  readonly #home: string;
  readonly #onError: (error: unknown) => void;
  #record: SessionRecord;
  #written: string;
  #later: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(home: string, record: SessionRecord, onError: (error: unknown) => void) {
    this.#home = home;
    this.#record = record;
    this.#written = JSON.stringify(record);
    this.#onError = onError;
  }

  get record(): SessionRecord {
    return this.#record;
  }

  /** Writes now if the guest froze or runs again: a rescue decides by this. Between two commands it can wait. */
  update(core: SessionCore): void {
    const before = this.#record;
    const {
      halt: _halt,
      unanswered: _unanswered,
      breakpoints: _breakpoints,
      sharing: _sharing,
      ...rest
    } = before;
    const { status, halt } = core;
    const kdPid = core.engine.pid;
    const sharing = core.sharing.shown;
    this.#record = {
      ...rest,
      ...(kdPid === undefined ? {} : { kdPid }),
      state: status.state,
      ...(halt === undefined ? {} : { halt }),
      ...(status.unanswered === undefined ? {} : { unanswered: status.unanswered }),
      ...(core.breakpoints.left === 0 ? {} : { breakpoints: core.breakpoints.left }),
      pinned: core.keeper.state.pinnedBy !== undefined,
      level: core.permission.level,
      ...(sharing === undefined ? {} : { sharing }),
    };
    const same = (record: SessionRecord): string =>
      JSON.stringify([
        freezes(record.state),
        record.halt?.since,
        record.halt?.cause,
        record.unanswered,
        record.breakpoints,
        record.pinned,
        record.kdPid,
      ]);
    if (same(before) !== same(this.#record)) this.#write();
    else this.#later ??= setTimeout(() => this.#write(), LATER_MS);
  }

  #write(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    const text = JSON.stringify(this.#record);
    if (text === this.#written || this.#disposed) return;
    try {
      replaceRecord(this.#home, this.#record);
      this.#written = text;
    } catch (error) {
      this.#onError(error);
    }
  }

  /**
   * Is this session's record where clients look? One that somebody removed is written again; without its folder nobody
   * can find this session any more.
   */
  restore(): boolean {
    if (existsSync(recordPath(this.#home, this.#record.id))) return true;
    if (!existsSync(sessionsFolder(this.#home))) return false;
    try {
      return claimRecord(this.#home, this.#record);
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#later);
  }
}

/** States that mean the same to whoever finds the record later. */
function freezes(state: SessionRecord['state']): SessionRecord['state'] {
  return state === 'busy' || state === 'asking' ? 'broken' : state;
}
