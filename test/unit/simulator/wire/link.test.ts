/** The target's end of KDNET against a host made of the same rules, over a real UDP socket. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import {
  type Datagram,
  type DatagramKeys,
  openDatagram,
  sealDatagram,
} from '../../../../src/simulator/wire/datagram.ts';
import { answerBody } from '../../../../src/simulator/wire/handshake.ts';
import { dataKey, keysOf, type SessionKeys } from '../../../../src/simulator/wire/keys.ts';
import { KdnetLink, type LinkEvents } from '../../../../src/simulator/wire/link.ts';

const keys = keysOf('1.2.3.4') as SessionKeys;
const control = { cipher: keys.control, authentication: keys.authentication };

const disposables: (() => void)[] = [];
afterEach(() => {
  for (const dispose of disposables.splice(0)) dispose();
});

/** A socket that hands out what arrives, one datagram after the other. */
async function openHost() {
  const socket: Socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  disposables.push(() => socket.close());
  const arrived: { readonly bytes: Buffer; readonly port: number }[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (bytes, from) => {
    arrived.push({ bytes, port: from.port });
    waiting.shift()?.();
  });
  const next = async () => {
    if (arrived.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    const first = arrived.shift();
    if (!first) throw new Error('nothing arrived');
    return first;
  };
  /** The next datagram that is an offer. */
  const offer = async () => {
    for (;;) {
      const { bytes, port } = await next();
      const datagram = openDatagram(bytes, control);
      if (datagram?.channel === 'control') return { datagram, port };
    }
  };
  return { socket, port: socket.address().port, next, offer };
}

function openLink(port: number, events: Partial<LinkEvents> = {}) {
  const link = new KdnetLink(
    { host: { address: '127.0.0.1', port }, keys, version: 3, network: (deliver) => deliver() },
    { onHost: () => {}, onBody: () => {}, ...events },
  );
  disposables.push(() => link.dispose());
  return link;
}

type Host = Awaited<ReturnType<typeof openHost>>;

/** Answers an offer and returns the keys of the data channel. */
function answer(host: Host, offer: { readonly datagram: Datagram; readonly port: number }, nonce: number) {
  const body = answerBody(offer.datagram.body.subarray(2, 34), Buffer.alloc(32, nonce));
  const { version, sequence } = offer.datagram;
  const bytes = sealDatagram({ version, channel: 'control', from: 'host', sequence, body }, control);
  host.socket.send(bytes, offer.port, '127.0.0.1');
  return { cipher: dataKey(keys, body), authentication: keys.authentication };
}

/** The next datagram that the keys of a data channel open. */
async function nextData(host: Host, data: DatagramKeys): Promise<Datagram> {
  for (;;) {
    const { bytes } = await host.next();
    const datagram = bytes[5] === 0 ? openDatagram(bytes, data) : undefined;
    if (datagram) return datagram;
  }
}

test('a target offers itself until it is answered, in its version, with its address', async () => {
  const host = await openHost();
  openLink(host.port).offer();
  const { datagram, port } = await host.offer();
  expect(datagram).toMatchObject({ version: 3, from: 'target', sequence: 1 });
  const body = Buffer.from(datagram.body);
  expect(body.length).toBe(344);
  expect([body[0], body[1]]).toEqual([1, 1]);
  expect(body.subarray(44, 52).toString('hex')).toBe(`ffff7f000001${port.toString(16).padStart(4, '0')}`);
  expect(body.readUInt16BE(68)).toBe(host.port);
  expect((await host.offer()).datagram.sequence).toBe(2);
});

test('an answer makes the data key; the target shows that it has it and carries packets both ways', async () => {
  const host = await openHost();
  const bodies: Uint8Array[] = [];
  const arrived = new Promise<void>((resolve) => {
    const link = openLink(host.port, {
      onHost: () => link.send(Buffer.from('from the target')),
      onBody: (body) => {
        bodies.push(body);
        resolve();
      },
    });
    link.offer();
  });
  const offer = await host.offer();
  const data = answer(host, offer, 1);
  const check = await nextData(host, data);
  expect(Buffer.from(check.body).toString('hex')).toBe('0000000000000000' + '0100007f');
  const packet = await nextData(host, data);
  expect(Buffer.from(packet.body).toString()).toBe('from the target');
  expect(packet.sequence).toBe(2);
  const bytes = sealDatagram(
    { version: 3, channel: 'data', from: 'host', sequence: 1, body: Buffer.from('from the host') },
    data,
  );
  host.socket.send(bytes, offer.port, '127.0.0.1');
  await arrived;
  expect(bodies.map((body) => Buffer.from(body).toString())).toEqual(['from the host']);
});

test('another number in the answer is another host, the same answer again is not', async () => {
  const host = await openHost();
  let hosts = 0;
  openLink(host.port, { onHost: () => hosts++ }).offer();
  const offer = await host.offer();
  const first = answer(host, offer, 1);
  await nextData(host, first);
  answer(host, offer, 1);
  await nextData(host, first);
  expect(hosts).toBe(1);
  await nextData(host, answer(host, offer, 2));
  expect(hosts).toBe(2);
});

test('an answer under another key, or to another offer, is not heard', async () => {
  const host = await openHost();
  let hosts = 0;
  openLink(host.port, { onHost: () => hosts++ }).offer();
  const offer = await host.offer();
  const others = keysOf('1.2.3.5') as SessionKeys;
  const forged = answerBody(offer.datagram.body.subarray(2, 34), Buffer.alloc(32, 1));
  const foreign = sealDatagram(
    { version: 3, channel: 'control', from: 'host', sequence: 1, body: forged },
    { cipher: others.control, authentication: others.authentication },
  );
  host.socket.send(foreign, offer.port, '127.0.0.1');
  const stale = answerBody(Buffer.alloc(32, 9), Buffer.alloc(32, 1));
  host.socket.send(
    sealDatagram({ version: 3, channel: 'control', from: 'host', sequence: 1, body: stale }, control),
    offer.port,
    '127.0.0.1',
  );
  await nextData(host, answer(host, offer, 3));
  expect(hosts).toBe(1);
});

test('a silent link neither speaks nor listens; plugged in again it offers itself at once', async () => {
  const host = await openHost();
  const bodies: Uint8Array[] = [];
  const link = openLink(host.port, { onBody: (body) => bodies.push(body) });
  link.offer();
  const offer = await host.offer();
  const data = answer(host, offer, 1);
  await nextData(host, data);
  link.setSilent(true);
  link.send(Buffer.from('lost'));
  link.setSilent(false);
  link.send(Buffer.from('heard'));
  const packet = await nextData(host, data);
  expect(Buffer.from(packet.body).toString()).toBe('heard');
  expect(bodies).toEqual([]);
});

test('a guest that restarts draws another number and needs another answer', async () => {
  const host = await openHost();
  const link = openLink(host.port);
  link.offer();
  const before = await host.offer();
  answer(host, before, 1);
  link.close();
  expect(link.connected).toBe(false);
  link.offer();
  for (;;) {
    const after = await host.offer();
    if (Buffer.compare(after.datagram.body.subarray(2, 34), before.datagram.body.subarray(2, 34)) !== 0)
      break;
  }
});
