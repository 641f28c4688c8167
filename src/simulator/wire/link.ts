/** The target's end of a KDNET connection: offers itself, agrees on keys, carries the bodies of KD packets. */
import { type KeyObject, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { channelOf, openDatagram, sealDatagram } from './datagram.ts';
import { connectionCheck, type Endpoint, NONCE_LENGTH, offerBody, readAnswer } from './handshake.ts';
import type { Network } from './impairment.ts';
import { dataKey, type SessionKeys } from './keys.ts';

export interface LinkOptions {
  readonly host: Endpoint;
  readonly keys: SessionKeys;
  readonly version: number;
  readonly network: Network;
}

export interface LinkEvents {
  /** A host has answered: the first, or another one than before. */
  readonly onHost: () => void;
  readonly onBody: (body: Uint8Array) => void;
}

/** Real targets offer themselves every 3 s; this one is in a hurry, because tests wait for it. */
const OFFER_MS = 500;
/** So long nothing must have come from the host before the target offers itself anew: the host may be another one. */
const QUIET_MS = 1000;

export class KdnetLink {
  readonly #options: LinkOptions;
  readonly #events: LinkEvents;
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  #bound: Promise<void> | undefined;
  #nonce = randomBytes(NONCE_LENGTH);
  #hostNonce: Buffer | undefined;
  #dataKey: KeyObject | undefined;
  #controlSequence = 0;
  #dataSequence = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  #silent = false;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (bytes) => options.network(() => this.#receive(bytes)));
    // An unreachable host is one that has not come yet.
    this.#socket.on('error', () => {});
  }

  /** A host has answered since the guest booted. */
  get connected(): boolean {
    return this.#dataKey !== undefined;
  }

  /** Packets get lost in both directions. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Begins to offer the target, or does so at once. */
  offer(): void {
    this.#bound ??= this.#bind();
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#heardAt > QUIET_MS) this.#offerNow();
    }, OFFER_MS);
    void this.#bound.then(() => this.#offerNow());
  }

  /** Stops all traffic as if the cable was out, or plugs it in again. */
  setSilent(silent: boolean): void {
    this.#silent = silent;
    if (!silent && this.#timer) this.#offerNow();
  }

  /** The guest is down: nothing is said until it offers itself again, and whoever was connected must connect anew. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#nonce = randomBytes(NONCE_LENGTH);
    this.#hostNonce = undefined;
    this.#dataKey = undefined;
    this.#heardAt = Number.NEGATIVE_INFINITY;
  }

  send(body: Uint8Array): void {
    if (this.#dataKey) this.#transmit('data', body, ++this.#dataSequence, this.#dataKey);
  }

  dispose(): void {
    this.close();
    this.#socket.close();
  }

  #bind(): Promise<void> {
    const loopback = this.#options.host.address.startsWith('127.');
    return new Promise((resolve) =>
      this.#socket.bind({ port: 0, address: loopback ? '127.0.0.1' : '0.0.0.0' }, resolve),
    );
  }

  #offerNow(): void {
    if (!this.#timer) return;
    const { host, keys } = this.#options;
    const body = offerBody(this.#nonce, this.#socket.address(), host);
    this.#transmit('control', body, ++this.#controlSequence, keys.control);
  }

  #transmit(channel: 'control' | 'data', body: Uint8Array, sequence: number, cipher: KeyObject): void {
    if (this.#silent) return;
    const { version, keys, host, network } = this.#options;
    const datagram = { version, channel, from: 'target', sequence, body } as const;
    const bytes = sealDatagram(datagram, { cipher, authentication: keys.authentication });
    network(() => this.#socket.send(bytes, host.port, host.address, () => {}));
  }

  #receive(bytes: Uint8Array): void {
    const { keys } = this.#options;
    const cipher = channelOf(bytes) === 'control' ? keys.control : this.#dataKey;
    if (this.#silent || !cipher) return;
    const datagram = openDatagram(bytes, { cipher, authentication: keys.authentication });
    if (datagram?.from !== 'host') return;
    this.#heardAt = performance.now();
    if (datagram.channel === 'data') this.#events.onBody(datagram.body);
    else this.#answered(datagram.body);
  }

  #answered(body: Uint8Array): void {
    const answer = readAnswer(body);
    if (!answer?.targetNonce.equals(this.#nonce)) return;
    const known = this.#hostNonce?.equals(answer.hostNonce) ?? false;
    this.#hostNonce = answer.hostNonce;
    this.#dataKey = dataKey(this.#options.keys, body);
    if (!known) this.#dataSequence = 0;
    this.send(connectionCheck(this.#options.host.address));
    if (!known) this.#events.onHost();
  }
}
