/** The debugger's end of KD packets, as far as the target can tell: acknowledges, repeats, asks one thing at a time. */
import { decodePacket, encodeControl, encodeData, PACKET } from '../../../../src/simulator/wire/packet.ts';

const RETRY_MS = 33;
const FIRST_ID = 0x80000000;
const REQUEST_SIZE = 56;

export interface Received {
  readonly type: number;
  readonly content: Buffer;
}

export class ModelHost {
  /** What arrived besides replies, each once. */
  readonly received: Received[] = [];
  readonly #transmit: (body: Buffer) => void;
  readonly #queue: { readonly bytes: Buffer; readonly id: number; readonly done: (reply: Buffer) => void }[] =
    [];
  #timer: NodeJS.Timeout | undefined;
  #nextId = FIRST_ID;
  #heard: number | undefined;

  constructor(transmit: (body: Buffer) => void) {
    this.#transmit = transmit;
  }

  breakIn(): void {
    this.#transmit(Buffer.from('b'));
  }

  askAgain(): void {
    this.#transmit(encodeControl(PACKET.resend, 0));
  }

  reset(): void {
    this.#transmit(encodeControl(PACKET.reset, this.#nextId));
  }

  /** Sends a request and waits for its reply. */
  ask(content: Uint8Array): Promise<Buffer> {
    const id = this.#nextId;
    this.#nextId = (id + 2) >>> 0;
    const bytes = encodeData(PACKET.manipulate, id, content);
    return new Promise((done) => {
      this.#queue.push({ bytes, id, done });
      if (this.#queue.length === 1) this.#send();
    });
  }

  /** A request by its number; `fill` writes its parameters, `extra` follows them. */
  request(api: number, fill?: (parameters: Buffer) => void, extra?: Uint8Array, processor = 0) {
    const content = Buffer.alloc(REQUEST_SIZE + (extra?.length ?? 0));
    content.writeUInt32LE(api, 0);
    content.writeUInt16LE(processor, 6);
    fill?.(content.subarray(16, REQUEST_SIZE));
    if (extra) content.set(extra, REQUEST_SIZE);
    return this.ask(content);
  }

  receive(body: Uint8Array): void {
    const packet = decodePacket(body);
    if (packet?.kind !== 'data') return;
    this.#transmit(encodeControl(PACKET.acknowledge, packet.id));
    if (this.#heard !== undefined && ((packet.id - this.#heard) | 0) <= 0) return;
    this.#heard = packet.id;
    if (packet.type === PACKET.manipulate) this.#settle(packet.content);
    else this.received.push({ type: packet.type, content: packet.content });
  }

  /** The target has restarted: numbers begin anew. */
  startOver(): void {
    this.forget();
    this.#heard = undefined;
    this.#nextId = FIRST_ID;
  }

  /** Does not wait for a reply to what it has asked: some requests have none. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#queue.length = 0;
  }

  #send(): void {
    const [first] = this.#queue;
    if (!first) return;
    this.#transmit(first.bytes);
    this.#timer = setTimeout(() => this.#send(), RETRY_MS);
  }

  #settle(reply: Buffer): void {
    clearTimeout(this.#timer);
    this.#queue.shift()?.done(reply);
    this.#send();
  }
}
