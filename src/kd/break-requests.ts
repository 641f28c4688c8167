/**
 * Asking the target to stop: now, up a ladder, or as soon as it is there. Sends requests; the stop itself shows elsewhere.
 */
import { climb } from './break-ladder.ts';
import type { Breaker } from './breakin.ts';
import type { Transport } from './connection.ts';
import type { Actor } from './model.ts';
import { hasStopped, type StatusBoard } from './status-board.ts';
import type { Stops } from './stops.ts';

/** A break sent right after `g` may find kd still at its prompt and is dropped there (kd-behaviour.md §4.3). */
const GO_SETTLE_MS = 50;
/** How long a stop may take after one request: KDNET, and serial framing, which polls (engine.md §6). */
const CONFIRM_MS = { packets: 2_000, serial: 6_000 };
/** How long a break that was asked for before the target was there is repeated once it is. */
const CONNECT_MS = 30_000;

export interface BreakRequestsOptions {
  readonly board: StatusBoard;
  readonly stops: Stops;
  readonly breaker: () => Breaker;
  readonly transport: Transport;
  readonly remark: (text: string) => void;
}

export class BreakRequests {
  readonly #options: BreakRequestsOptions;
  readonly #serial: boolean;
  #connect: NodeJS.Timeout | undefined;
  #climbing: Promise<boolean> | undefined;
  #waiting = 0;

  constructor(options: BreakRequestsOptions) {
    this.#options = options;
    this.#serial = ['com', 'pipe', 'tcp', 'raw'].includes(options.transport);
  }

  /** Somebody waits for a stop. */
  get wanted(): boolean {
    return this.#waiting > 0;
  }

  /** Asks until the target has stopped or the time is over. Two callers share one ladder, but each has its own patience. */
  async until(deadline: number): Promise<void> {
    const { board } = this.#options;
    this.#waiting++;
    try {
      do {
        if (hasStopped(board.status)) break;
        await Promise.race([this.climb(deadline), board.until(hasStopped, deadline - Date.now())]);
      } while (Date.now() < deadline);
    } finally {
      this.#waiting--;
    }
  }

  /** One ladder at a time, whoever asks. True: the target has stopped; false: the time of the ladder is up. */
  climb(deadline: number, notBefore = this.#options.stops.wentAt + GO_SETTLE_MS): Promise<boolean> {
    const { board, stops, breaker, remark } = this.#options;
    this.#climbing ??= climb({
      breaker: breaker(),
      confirmMs: this.#serial ? CONFIRM_MS.serial : CONFIRM_MS.packets,
      deadline,
      notBefore,
      stopped: (ms) => board.until(hasStopped, ms),
      sent: () => stops.breakSent(),
      remark,
    }).finally(() => {
      this.#climbing = undefined;
    });
    return this.#climbing;
  }

  /** Wants the target stopped as soon as it is there. */
  wantAtConnect(by: Actor): void {
    const { board, stops } = this.#options;
    const { breakOnConnect, state } = board.status;
    if (!breakOnConnect) {
      stops.breakWanted(by);
      board.set({ breakOnConnect: true });
      if (state === 'waiting') this.request();
      board.publish();
    } else if (this.#serial && state === 'waiting') {
      this.request();
    }
  }

  /**
   * One request while kd waits: the engine keeps it, and stops the target as soon as it connects (engine.md §6). Serial
   * transports tell of no link to press on at, and a target that runs may miss a request (kd-behaviour.md §2.5).
   */
  request(): void {
    const breaker = this.#options.breaker();
    if (breaker.rungs.some((rung) => breaker.send(rung).ok)) this.#options.stops.breakSent();
    if (this.#serial) void this.climb(Date.now() + CONNECT_MS, Date.now() + CONFIRM_MS.serial);
  }

  /** The link is up. kd drops a request made between a shutdown and the next wait (real engine): ask again. */
  linked(): void {
    const { board } = this.#options;
    if (!board.status.breakOnConnect) return;
    clearTimeout(this.#connect);
    this.#connect = setTimeout(() => {
      const { breakOnConnect, linked } = board.status;
      if (breakOnConnect && linked && !hasStopped(board.status)) void this.climb(Date.now() + CONNECT_MS);
    }, CONFIRM_MS.packets);
  }

  dispose(): void {
    clearTimeout(this.#connect);
  }
}
