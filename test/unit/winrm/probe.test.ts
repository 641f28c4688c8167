import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { describeObservation, type Observation, probeWinrm, waitForWinrm } from '../../../src/winrm/probe.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

function listen(server: Server, port = 0): Promise<number> {
  open.push(server);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

const winrm = (status = 405) =>
  createHttp((request, response) => {
    const right = request.method === 'POST' && request.url === '/wsman';
    response.writeHead(right ? status : 404, { server: 'Microsoft-HTTPAPI/2.0' }).end();
  });

/** A port where nothing listens. */
async function freePort(): Promise<number> {
  const server = createTcp();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  open.splice(open.indexOf(server), 1);
  return port;
}

const probe = async (port: number, timeoutMs = 20_000, tls = false): Promise<Observation | undefined> =>
  (
    await probeWinrm({
      hosts: ['127.0.0.1'],
      ports: [port],
      timeoutMs,
      ...(tls ? { tlsPorts: new Set([port]) } : {}),
    })
  )[0];

describe('one attempt sees', () => {
  test.each([401, 405, 503])('that WinRM answers, with %i', async (status) => {
    const seen = await probe(await listen(winrm(status)));
    expect(seen).toMatchObject({
      kind: 'answered',
      status,
      server: 'Microsoft-HTTPAPI/2.0',
      host: '127.0.0.1',
    });
  });

  test('that WinRM answers over TLS with a certificate of its own', async () => {
    const server = createHttps(
      { key: readFileSync('test/fixtures/tls/guest.key'), cert: readFileSync('test/fixtures/tls/guest.crt') },
      (_request, response) => response.writeHead(401).end(),
    );
    expect(await probe(await listen(server), 20_000, true)).toMatchObject({ kind: 'answered', status: 401 });
  });

  test('that nothing listens', async () => {
    expect(await probe(await freePort())).toMatchObject({ kind: 'refused' });
  });

  test('that a halted guest takes the connection and never answers', async () => {
    expect(await probe(await listen(createTcp(() => {})), 100)).toMatchObject({ kind: 'timed-out' });
  });

  test('that the connection breaks', async () => {
    const port = await listen(createTcp((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect(await probe(port)).toMatchObject({ kind: 'reset' });
  });

  test('that something else is there', async () => {
    const port = await listen(createTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    expect(await probe(port)).toMatchObject({ kind: 'other' });
    expect(await probe(port, 20_000, true)).toMatchObject({ kind: 'other' });
  });

  test('that a name is not known', async () => {
    const [seen] = await probeWinrm({ hosts: ['no-such-guest.invalid'], ports: [5985], timeoutMs: 20_000 });
    expect(['unreachable', 'timed-out']).toContain(seen?.kind);
  });

  test('nothing once the caller gave up', async () => {
    const [seen] = await probeWinrm({
      hosts: ['127.0.0.1'],
      ports: [await listen(winrm())],
      timeoutMs: 20_000,
      signal: AbortSignal.abort(),
    });
    expect(seen).toMatchObject({ kind: 'cancelled' });
  });
});

describe('waiting', () => {
  test('ends with the first endpoint that answers', async () => {
    const [silent, good] = [await listen(createTcp(() => {})), await listen(winrm())];
    const { answered } = await waitForWinrm({
      hosts: ['127.0.0.1'],
      ports: [silent, good],
      timeoutMs: 20_000,
    });
    expect(answered).toMatchObject({ host: '127.0.0.1', port: good });
  });

  test('goes on until the service is there', async () => {
    const port = await freePort();
    const attempts: Observation[] = [];
    let started: Promise<number> | undefined;
    const { answered, last } = await waitForWinrm({
      hosts: ['127.0.0.1'],
      ports: [port],
      timeoutMs: 25_000,
      intervalMs: 10,
      onAttempt: (seen) => {
        attempts.push(seen);
        if (seen.kind === 'refused' && attempts.length === 3) started = listen(winrm(), port);
      },
    });
    await started;
    expect(attempts.slice(0, 3).map((seen) => seen.kind)).toEqual(['refused', 'refused', 'refused']);
    expect(answered).toMatchObject({ port });
    expect(last).toMatchObject([{ kind: 'answered' }]);
  });

  test('ends when the time is over, and says what was seen last at each endpoint', async () => {
    const [silent, closed] = [await listen(createTcp(() => {})), await freePort()];
    const { answered, last } = await waitForWinrm({
      hosts: ['127.0.0.1', ' 127.0.0.1', ''],
      ports: [silent, closed],
      timeoutMs: 300,
      intervalMs: 50,
    });
    expect(answered).toBeUndefined();
    expect(last.map((seen) => seen.kind)).toEqual(['timed-out', 'refused']);
  });

  test('ends at once when the caller gives up', async () => {
    const abort = new AbortController();
    const port = await freePort();
    const { answered, last } = await waitForWinrm({
      hosts: ['127.0.0.1'],
      ports: [port],
      timeoutMs: 600_000,
      signal: abort.signal,
      onAttempt: () => abort.abort(),
    });
    expect(answered).toBeUndefined();
    expect(last).toMatchObject([{ kind: 'refused' }]);
  });

  test('without a host is over', async () => {
    expect(await waitForWinrm({ hosts: [], timeoutMs: 600_000 })).toEqual({ answered: undefined, last: [] });
  });
});

test('an observation reads as a sentence', () => {
  expect(describeObservation({ host: 'fe80::1', port: 5985, ms: 1, kind: 'refused' })).toMatch(
    /^\[fe80::1\]:5985 refused/,
  );
});
