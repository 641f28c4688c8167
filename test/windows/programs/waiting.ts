/** Waiting for what no event tells on Windows: another process's end, a pipe's birth. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { processStartTime } from '../../../src/host/win32.ts';

/** Resolves as soon as `probe` gives something. @throws Error that names `what` after `ms`. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  ms = 20_000,
) {
  for (const end = Date.now() + ms; Date.now() < end; await delay(20)) {
    const found = await probe();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: not within ${ms} ms`);
}

/** Whether a process is there, by the means the project itself uses. */
export function lives(pid: number): boolean {
  return processStartTime(pid).ok;
}

/** Resolves when a process is gone. */
export async function gone(pid: number, ms = 10_000): Promise<void> {
  await eventually(`the end of process ${pid}`, () => (lives(pid) ? undefined : true), ms);
}

/** Connects to a pipe that somebody is about to open. */
export function connectSoon(pipe: string): Promise<Socket> {
  return eventually(`a server at ${pipe}`, () => tryConnect(pipe));
}

function tryConnect(pipe: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(pipe);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

/** A port of KDNET's range that nobody uses now: the simulator takes its port as kd does. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 49_152 + Math.floor(Math.random() * 16_000);
    const socket = createSocket('udp4');
    socket.bind(port);
    const free = await once(socket, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    return port;
  }
}
