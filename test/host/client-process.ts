/** A client in a process of its own, to be killed: starts or joins a session, halts the guest, runs a command, waits. */
import { createSessions } from '../../src/client/registry.ts';
import type { StartOptions } from '../../src/client/sessions.ts';
import { CLI } from './rig.ts';

interface Orders {
  readonly home: string;
  readonly start: StartOptions;
  readonly orphanGraceSec: number;
  /** Run before it says that it is ready. */
  readonly first: string;
  /** The call that is never answered. */
  readonly lines: readonly string[];
}

const orders: Orders = JSON.parse(process.argv[2] ?? '');
const sessions = createSessions({
  home: orders.home,
  identity: { kind: 'agent', name: 'killed-client' },
  program: { command: process.execPath, script: CLI },
  orphanGraceSec: orders.orphanGraceSec,
});
const { session } = await sessions.start(orders.start);
await session.breakIn(20_000);
await session.command([orders.first], { timeoutMs: 60_000 });
const answer = session.command(orders.lines, { timeoutMs: 60_000 });
process.stdout.write(`ready ${session.id}\n`);
await answer;
setInterval(() => {}, 60_000);
