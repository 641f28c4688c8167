/** The wire face as a process: a guest that any KDNET debugger attaches to. The real engine is in test/engine. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PACKET } from '../../src/simulator/wire/packet.ts';
import { freePort } from './simulator-process.ts';
import { startWireTarget, WireHost, type WireTarget } from './wire-host.ts';

const GET_VERSION = 0x3146;
const READ_MEMORY = 0x3130;
const CONTINUE = 0x313c;
const LOAD_SYMBOLS = 0x3031;

const disposables: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposables.splice(0).reverse()) await dispose();
});

async function open(...args: readonly string[]): Promise<{ host: WireHost; target: WireTarget }> {
  const host = await openHost();
  const target = startWireTarget(host.port, ...args);
  disposables.push(() => target.dispose());
  return { host, target };
}

async function openHost(port = 0): Promise<WireHost> {
  const host = await WireHost.open(port);
  disposables.push(() => host.close().catch(() => {}));
  return host;
}

/** Waits until the target too knows that it is connected: the host's answer may have to be repeated until it arrives. */
async function linked(host: WireHost, target: WireTarget): Promise<void> {
  await host.until(() => host.sessions > 0);
  while ((await target.state()).link !== 'linked');
}

/** Connects and breaks in. */
async function broken(host: WireHost): Promise<void> {
  await host.until(() => host.sessions > 0);
  host.model.breakIn();
  await host.message(PACKET.stateChange);
}

async function kernelBase(host: WireHost): Promise<bigint> {
  return (await host.model.request(GET_VERSION)).readBigUInt64LE(16 + 16);
}

/** Reports that the guest goes down: all is unloaded, and no path says what. */
function goodbyes(host: WireHost) {
  return host.model.received.filter(
    ({ type, content }) =>
      type === PACKET.stateChange && content.length === 0xf0 && content.readUInt32LE(0) === LOAD_SYMBOLS,
  );
}

async function goOn(host: WireHost, target: WireTarget): Promise<void> {
  void host.model.request(CONTINUE);
  for (;;) {
    const { state } = await target.state();
    if (state !== 'frozen') break;
  }
  host.model.forget();
}

test('a debugger connects, breaks in, reads the kernel and lets it run', async () => {
  const { host, target } = await open();
  await broken(host);
  expect(await target.state()).toMatchObject({ state: 'frozen', stop: 'break', link: 'linked' });
  const base = await kernelBase(host);
  const reply = await host.model.request(READ_MEMORY, (p) => {
    p.writeBigUInt64LE(base, 0);
    p.writeUInt32LE(2, 8);
  });
  expect(reply.subarray(56).toString()).toBe('MZ');
  await goOn(host, target);
  expect(await target.state()).toMatchObject({ state: 'running' });
});

test('the guest file tells that the guest stands, and WinRM answers only while it runs', async () => {
  const port = await freePort();
  const { host, target } = await open('--guest', 'guest.json', '--winrm', `127.0.0.1:${port}`);
  const reachable = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  const stateInFile = () =>
    (JSON.parse(readFileSync(join(target.directory, 'guest.json'), 'utf8')) as { state: string }).state;
  await host.until(() => host.sessions > 0);
  expect(stateInFile()).toBe('running');
  expect(await reachable()).toBe(true);
  await broken(host);
  await target.state();
  expect(stateInFile()).toBe('frozen');
  expect(await reachable()).toBe(false);
  await goOn(host, target);
  expect(stateInFile()).toBe('running');
});

test('a debugger that goes leaves the guest frozen; the next one on its port gets the stop at once', async () => {
  const { host, target } = await open();
  await broken(host);
  const { port } = host;
  await host.close();
  const next = await openHost(port);
  const stop = await next.message(PACKET.stateChange);
  expect(stop.content.readUInt32LE(0x20)).toBe(0x80000003);
  expect(await target.state()).toMatchObject({ state: 'frozen', interrupts: 1 });
});

test('a restart says goodbye, connects anew and has another kernel base; a reset says nothing', async () => {
  const { host, target } = await open();
  await broken(host);
  const first = await kernelBase(host);
  await goOn(host, target);
  expect(await target.tell('reboot')).toBe('ok');
  await host.until(() => host.sessions === 2);
  expect(goodbyes(host)).toHaveLength(1);
  // The kernel reports in by itself, as a module that was loaded.
  const loads = () =>
    host.model.received.filter((r) => r.type === PACKET.stateChange && r.content.length > 0xf0);
  await host.until(() => loads().length === 1);
  const second = await kernelBase(host);
  expect(second).not.toBe(first);
  expect(loads()[0]?.content.readBigUInt64LE(0x28)).toBe(second);
  expect(await target.tell('reset')).toBe('ok');
  await host.until(() => host.sessions === 3 && loads().length === 2);
  expect(goodbyes(host)).toHaveLength(1);
});

test('a guest that was shut down stays off until it is asked to appear', async () => {
  const { host, target } = await open();
  await linked(host, target);
  expect(await target.tell('shutdown')).toBe('ok');
  await host.until(() => goodbyes(host).length === 1);
  expect(await target.state()).toMatchObject({ state: 'off' });
  expect(await target.tell('hit')).toBe('no the guest is off');
  expect(await target.tell('appear')).toBe('ok');
  await host.until(() => host.sessions === 2);
});

test('a lost link loses nothing that was said meanwhile', async () => {
  const { host, target } = await open();
  await linked(host, target);
  await target.tell('vanish');
  await target.tell('print said while nobody heard');
  await target.tell('hit');
  expect(await target.state()).toMatchObject({ link: 'lost', pending: 1 });
  await target.tell('back');
  const text = await host.message(PACKET.debugIo);
  expect(text.content.subarray(16).toString()).toBe('said while nobody heard');
});

test('a third of the packets may get lost, and everything still arrives once', async () => {
  const { host, target } = await open('--loss', '30', '--duplicate', '20', '--reorder', '20', '--seed', '3');
  await linked(host, target);
  for (let i = 0; i < 40; i++) await target.tell(`print line ${i}\\n`);
  await host.until(() => host.model.received.length === 40);
  expect(host.model.received.map((r) => r.content.subarray(16).toString()).join('')).toBe(
    Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''),
  );
});

test('a target that waits for its moment is silent until then', async () => {
  const { host, target } = await open('--scenario', 'no-target');
  expect(await target.state()).toMatchObject({ link: 'down' });
  expect(host.sessions).toBe(0);
  await target.tell('appear');
  await host.until(() => host.sessions === 1);
});

test('it ends by its control line and by a signal', async () => {
  const first = await open();
  expect(await first.target.tell('exit')).toBe('ok');
  expect(await first.target.exited).toBe(0);
  if (process.platform === 'win32') return;
  const second = await open();
  await second.target.state();
  second.target.child.kill('SIGTERM');
  expect(await second.target.exited).toBe(0);
});

test('wrong options are refused in words that say how to do it right', async () => {
  for (const [args, words] of [
    [['--port', '0', '--key', '1.2.3.4'], '--port takes the UDP port'],
    [['--port', '50000', '--key', '1.2.3'], '--key takes four numbers in base 36'],
    [['--port', '50000', '--key', '1.2.3.4', '--scenario', 'x'], '--list-scenarios'],
    [['--port', '50000', '--key', '1.2.3.4', '--scenario', 'port-busy'], 'without --wire'],
    [['--port', '50000', '--key', '1.2.3.4', '--loss', '100'], 'percents from 0 to 99'],
    [['--port', '50000', '--key', '1.2.3.4', '--protocol', '9'], '--protocol takes'],
  ] as const) {
    const { parseWireOptions } = await import('../../src/simulator/wire/options.ts');
    expect(parseWireOptions(['--wire', ...args])).toContain(words);
  }
});
