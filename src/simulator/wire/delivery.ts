/**
 * Every packet arrives once and in order, over datagrams that get lost, doubled and overtaken (engine.md §3).
 *
 * One packet of the target is under way at a time; it is sent again until the host acknowledges it, or sends its next
 * request, which says the same.
 */
import { decodePacket, encodeControl, encodeData, PACKET } from './packet.ts';

export interface DeliveryEnds {
  /** Sends a datagram's body; it may get lost. */
  transmit(body: Buffer): void;
  onData(type: number, content: Buffer): void;
  onBreak(): void;
  /** The host asks for what came last, and nothing is under way. */
  onAskedAgain(): void;
}

interface Outgoing {
  readonly type: number;
  readonly content: Uint8Array;
  readonly onArrived: (() => void) | undefined;
}

/**
 * Milliseconds until a packet is sent again: seldom in the end, as for a host that has gone. Not in a hurry: the engine
 * takes an answer that comes twice for the acknowledgement of its next request, and does not send that one again when it
 * was lost (real engine, on a slow machine: a `g` that never arrives).
 */
const RETRY_MS = [200, 200, 400, 800, 1000] as const;
const LAST_RETRY_MS = 2000;
/** Ids count in twos (engine.md §3). */
const STEP = 2;

export class Delivery {
  readonly #ends: DeliveryEnds;
  #waiting: Outgoing[] = [];
  #underWay: (Outgoing & { readonly bytes: Buffer; readonly id: number }) | undefined;
  #tries = 0;
  #retry: NodeJS.Timeout | undefined;
  #nextId = 0;
  #heard: number | undefined;

  constructor(ends: DeliveryEnds) {
    this.#ends = ends;
  }

  /** Packets that the host has not acknowledged. */
  get pending(): number {
    return this.#waiting.length + (this.#underWay ? 1 : 0);
  }

  send(type: number, content: Uint8Array, onArrived?: () => void): void {
    this.#waiting.push({ type, content, onArrived });
    this.#next();
  }

  receive(body: Uint8Array): void {
    const packet = decodePacket(body);
    switch (packet?.kind) {
      case undefined:
        return;
      case 'break':
        this.#ends.onBreak();
        return;
      case 'damaged':
        this.#ends.transmit(encodeControl(PACKET.resend, 0));
        return;
      case 'control':
        this.#control(packet.type, packet.id);
        return;
      case 'data':
        this.#take(packet.type, packet.id, packet.content);
        return;
    }
  }

  /**
   * Another host listens now; what is under way goes to it. But answers were the last host's: the new one would
   * acknowledge them and go on waiting for a state change (real engine).
   */
  startOver(): void {
    this.#heard = undefined;
    this.#tries = 0;
    this.#waiting = this.#waiting.filter(({ type }) => type !== PACKET.manipulate);
    if (this.#underWay?.type === PACKET.manipulate) {
      clearTimeout(this.#retry);
      this.#underWay = undefined;
      this.#next();
    } else this.#transmit();
  }

  /** The guest restarts: nothing it had to say matters any more. */
  clear(): void {
    clearTimeout(this.#retry);
    this.#waiting = [];
    this.#underWay = undefined;
    this.#heard = undefined;
    this.#nextId = 0;
  }

  dispose(): void {
    this.clear();
  }

  #take(type: number, id: number, content: Buffer): void {
    this.#ends.transmit(encodeControl(PACKET.acknowledge, id));
    if (this.#heard !== undefined && ((id - this.#heard) | 0) <= 0) {
      // The host has not got the answer to this one yet.
      if (id === this.#heard) this.#transmit();
      return;
    }
    this.#heard = id;
    // A new request says that the last answer has arrived.
    this.#arrived();
    this.#ends.onData(type, content);
  }

  #control(type: number, id: number): void {
    switch (type) {
      case PACKET.acknowledge:
        if (this.#underWay?.id === id) this.#arrived();
        return;
      case PACKET.resend:
        if (this.#underWay) this.#transmit();
        else this.#ends.onAskedAgain();
        return;
      case PACKET.reset:
        this.#heard = undefined;
        this.#ends.transmit(encodeControl(PACKET.reset, this.#underWay?.id ?? this.#nextId));
        if (this.#underWay) this.#transmit();
        else this.#ends.onAskedAgain();
        return;
    }
  }

  #next(): void {
    if (this.#underWay) return;
    const outgoing = this.#waiting.shift();
    if (!outgoing) return;
    const id = this.#nextId;
    this.#nextId = (id + STEP) >>> 0;
    this.#underWay = { ...outgoing, id, bytes: encodeData(outgoing.type, id, outgoing.content) };
    this.#tries = 0;
    this.#transmit();
  }

  #transmit(): void {
    clearTimeout(this.#retry);
    if (!this.#underWay) return;
    this.#ends.transmit(this.#underWay.bytes);
    this.#retry = setTimeout(() => this.#transmit(), RETRY_MS[this.#tries++] ?? LAST_RETRY_MS);
  }

  #arrived(): void {
    const arrived = this.#underWay;
    if (!arrived) return;
    clearTimeout(this.#retry);
    this.#underWay = undefined;
    arrived.onArrived?.();
    this.#next();
  }
}
