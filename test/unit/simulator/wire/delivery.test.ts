import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Delivery } from '../../../../src/simulator/wire/delivery.ts';
import { createNetwork, type Network } from '../../../../src/simulator/wire/impairment.ts';
import { decodePacket, encodeControl, encodeData, PACKET } from '../../../../src/simulator/wire/packet.ts';
import { ModelHost } from './model-host.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A delivery with its host; datagrams arrive one after the other, not inside the call that sends them. */
function pair(network: Network, onData: (type: number, content: Buffer) => void) {
  const carry = (arrive: () => void) => network(() => setTimeout(arrive, 0));
  const delivery: Delivery = new Delivery({
    transmit: (body) => carry(() => host.receive(body)),
    onData,
    onBreak: () => {},
    onAskedAgain: () => {},
  });
  const host: ModelHost = new ModelHost((body) => carry(() => delivery.receive(body)));
  return { delivery, host };
}

const rates = fc.record({
  loss: fc.nat({ max: 40 }),
  reorder: fc.nat({ max: 40 }),
  duplicate: fc.nat({ max: 40 }),
  seed: fc.nat(),
});

test('whatever the network does, each packet arrives once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(rates, fc.integer({ min: 1, max: 30 }), async (rate, count) => {
      const { delivery, host } = pair(createNetwork(rate), () => {});
      for (let i = 0; i < count; i++) delivery.send(PACKET.debugIo, Uint8Array.of(i));
      await vi.advanceTimersByTimeAsync(600_000);
      expect(host.received.map((p) => p.content[0])).toEqual(Array.from({ length: count }, (_, i) => i));
      expect(delivery.pending).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('… and each request is taken once and gets its own reply', async () => {
  await fc.assert(
    fc.asyncProperty(rates, fc.integer({ min: 1, max: 30 }), async (rate, count) => {
      const taken: number[] = [];
      const { delivery, host } = pair(createNetwork(rate), (_type, content) => {
        taken.push(content[0] ?? -1);
        delivery.send(PACKET.manipulate, content);
      });
      const numbers = Array.from({ length: count }, (_, i) => i);
      const replies = Promise.all(numbers.map((i) => host.ask(Uint8Array.of(i))));
      await vi.advanceTimersByTimeAsync(600_000);
      expect((await replies).map((reply) => reply[0])).toEqual(numbers);
      expect(taken).toEqual(numbers);
    }),
    { numRuns: 50 },
  );
});

test('a request without a reply is acknowledged and not taken again when it is repeated', async () => {
  const taken: number[] = [];
  const bodies: Buffer[] = [];
  const delivery = new Delivery({
    transmit: (body) => bodies.push(body),
    onData: (_type, content) => taken.push(content[0] ?? -1),
    onBreak: () => {},
    onAskedAgain: () => {},
  });
  const request = encodeData(PACKET.manipulate, 0x80000800, Uint8Array.of(9));
  delivery.receive(request);
  delivery.receive(request);
  expect(taken).toEqual([9]);
  // With all its bits: what looks like a bit for synchronisation is a part of the number here.
  expect(bodies).toEqual(Array.from({ length: 2 }, () => encodeControl(PACKET.acknowledge, 0x80000800)));
});

test('the reply goes out again as soon as its request comes again', () => {
  const bodies: Buffer[] = [];
  const delivery = new Delivery({
    transmit: (body) => bodies.push(body),
    onData: (_type, content) => delivery.send(PACKET.manipulate, content),
    onBreak: () => {},
    onAskedAgain: () => {},
  });
  const request = encodeData(PACKET.manipulate, 0x80000000, Uint8Array.of(1));
  delivery.receive(request);
  delivery.receive(request);
  const replies = bodies.map(decodePacket).filter((p) => p?.kind === 'data');
  expect(replies).toHaveLength(2);
  expect(replies[1]).toEqual(replies[0]);
});

test('a damaged packet is asked for again, a break request is heard', () => {
  const bodies: Buffer[] = [];
  let breaks = 0;
  const delivery = new Delivery({
    transmit: (body) => bodies.push(body),
    onData: () => {},
    onBreak: () => breaks++,
    onAskedAgain: () => {},
  });
  const request = encodeData(PACKET.manipulate, 0x80000000, Uint8Array.of(1, 2));
  request[16] = 3;
  delivery.receive(request);
  expect(bodies).toEqual([encodeControl(PACKET.resend, 0)]);
  delivery.receive(Buffer.from('b'));
  expect(breaks).toBe(1);
});

test('a host that asks for the last packet gets what is under way, else the target is asked for it', () => {
  let asked = 0;
  const bodies: Buffer[] = [];
  const delivery = new Delivery({
    transmit: (body) => bodies.push(body),
    onData: () => {},
    onBreak: () => {},
    onAskedAgain: () => asked++,
  });
  delivery.receive(encodeControl(PACKET.resend, 0));
  expect([asked, bodies.length]).toEqual([1, 0]);
  delivery.send(PACKET.stateChange, Uint8Array.of(1));
  delivery.receive(encodeControl(PACKET.resend, 0));
  expect([asked, bodies.length]).toEqual([1, 2]);
  delivery.receive(encodeControl(PACKET.reset, 0x80000000));
  expect(bodies.slice(2).map(decodePacket)).toEqual([
    { kind: 'control', type: PACKET.reset, id: 0 },
    expect.objectContaining({ kind: 'data', id: 0 }),
  ]);
});

test('the first packets of another host are taken, although their numbers were used before', () => {
  const taken: number[] = [];
  const delivery = new Delivery({
    transmit: () => {},
    onData: (_type, content) => taken.push(content[0] ?? -1),
    onBreak: () => {},
    onAskedAgain: () => {},
  });
  delivery.receive(encodeData(PACKET.manipulate, 0x80000000, Uint8Array.of(1)));
  delivery.receive(encodeData(PACKET.manipulate, 0x80000002, Uint8Array.of(2)));
  delivery.startOver();
  delivery.receive(encodeData(PACKET.manipulate, 0x80000000, Uint8Array.of(3)));
  expect(taken).toEqual([1, 2, 3]);
});

test('another host gets no answers that were the last one’s, and so asks for the state', () => {
  let asked = 0;
  const bodies: Buffer[] = [];
  const delivery = new Delivery({
    transmit: (body) => bodies.push(body),
    onData: () => {},
    onBreak: () => {},
    onAskedAgain: () => asked++,
  });
  delivery.send(PACKET.manipulate, Uint8Array.of(1));
  delivery.send(PACKET.manipulate, Uint8Array.of(2));
  delivery.send(PACKET.debugIo, Uint8Array.of(3));
  bodies.length = 0;
  delivery.startOver();
  expect(bodies.map(decodePacket)).toMatchObject([{ type: PACKET.debugIo, content: Buffer.of(3) }]);
  delivery.receive(encodeControl(PACKET.acknowledge, 2));
  delivery.receive(encodeControl(PACKET.resend, 0));
  expect([asked, delivery.pending]).toEqual([1, 0]);
});

test('a host that does not answer is tried again ever more seldom, and without end', async () => {
  let tries = 0;
  const delivery = new Delivery({
    transmit: () => tries++,
    onData: () => {},
    onBreak: () => {},
    onAskedAgain: () => {},
  });
  delivery.send(PACKET.stateChange, Uint8Array.of(1));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(tries).toBeGreaterThanOrEqual(5);
  const early = tries;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(tries - early).toBeGreaterThanOrEqual(9);
  expect(tries - early).toBeLessThanOrEqual(11);
});
