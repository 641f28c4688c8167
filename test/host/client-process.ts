/** A client in a process of its own, to be killed: starts or joins a session, and halts the guest if it has lines to run. */
import { createSessions } from '../../src/client/registry.ts';
import type { StartOptions } from '../../src/client/sessions.ts';
import type { ClientIdentity } from '../../src/host/protocol.ts';
import { CLI, UNRESTRICTED } from './rig.ts';

export interface Orders {
  readonly home: string;
  readonly start: StartOptions;
  readonly identity?: ClientIdentity;
  readonly orphanGraceSec: number;
  /** Run before it says that it is ready. */
  readonly first?: string;
  /** The call that is never answered. */
  readonly lines?: readonly string[];
}

if (import.meta.main) {
  const orders: Orders = JSON.parse(process.argv[2] ?? '');
  const sessions = createSessions({
    home: orders.home,
    identity: orders.identity ?? { kind: 'agent', name: 'killed-client' },
    program: { command: process.execPath, script: CLI },
    orphanGraceSec: orders.orphanGraceSec,
    limits: UNRESTRICTED,
  });
  const { session } = await sessions.start(orders.start);
  if (orders.first !== undefined) {
    await session.breakIn(20_000);
    await session.command([orders.first], { timeoutMs: 60_000 });
  }
  const answer =
    orders.lines === undefined ? undefined : session.command(orders.lines, { timeoutMs: 60_000 });
  process.stdout.write(`ready ${session.id}\n`);
  await answer;
  setInterval(() => {}, 60_000);
}
