/** The requests that open this session's kd to other debuggers, and close it. Only a person makes them. */
import { hostname } from 'node:os';
import type { CancellationToken } from 'vscode-jsonrpc';
import { runCommands } from './commands.ts';
import type { SessionCore } from './core.ts';
import type { ClientIdentity, CommandResult, SessionInfo, Shared, ShareParams } from './protocol.ts';
import { refuse, requireAlive, requirePerson } from './refusals.ts';
import { PASSWORD_LENGTH, pipePlan, type ServerPlan, serverNumber, tcpPlan } from './sharing.ts';

/** Enough for a break on a serial line, the command, and the resume. */
const TIMEOUT_MS = 40_000;

/** Opens a server, or names the one that is open. */
export async function share(
  core: SessionCore,
  client: ClientIdentity,
  params: ShareParams,
  token: CancellationToken,
): Promise<Shared> {
  requirePerson(client, 'open a session to another debugger');
  requireAlive(core);
  if (core.facts.transport === 'remote') {
    throw refuse(
      'wrongState',
      'This session is itself a client of another debugger: connect to that one with the line that this session was started with.',
    );
  }
  const open = core.sharing.server;
  if (open !== undefined) return { remote: open.remote, info: core.info() };
  if (!core.halted && params.breakAndResume !== true) {
    throw refuse(
      'wrongState',
      'kd takes commands only from a halted target: break in, share, then let it run again (the server stays open); or let this do it for a moment (kd-mcp share --break).',
    );
  }
  const plan = planOf(params);
  const { result, printed } = await run(core, client, `.server ${plan.transport}`, params, token);
  const number = serverNumber(printed, plan);
  if (number === undefined) {
    const why = result.error ?? printed.trim().split('\n')[0] ?? '';
    throw refuse('wrongState', `kd opened no server: ${why}`);
  }
  const { remote, address } = plan;
  core.sharing.opened({ number, remote, address, by: client, since: core.clock.wall() });
  core.remark(`${client.name} opened this session to other debuggers (${address}).`, client);
  core.recordChanged();
  core.tellChanged();
  return { remote, info: core.info() };
}

/** Takes nobody new from now on. Who is there stays until they leave (kd-behaviour.md §9.3). */
export async function unshare(
  core: SessionCore,
  client: ClientIdentity,
  params: Pick<ShareParams, 'breakAndResume'>,
  token: CancellationToken,
): Promise<SessionInfo> {
  requirePerson(client, 'close a session to other debuggers');
  requireAlive(core);
  const open = core.sharing.server;
  if (open === undefined) throw refuse('wrongState', 'The session is not shared: there is nothing to close.');
  await run(core, client, `.endsrv ${open.number}`, params, token);
  core.sharing.closed();
  if (core.status.state === 'broken') await run(core, client, '.clients', {}, token);
  core.remark(`${client.name} closed this session to other debuggers; who is connected stays.`, client);
  core.recordChanged();
  core.tellChanged();
  return core.info();
}

function planOf({ tcp }: ShareParams): ServerPlan {
  if (tcp === undefined) return pipePlan();
  const { port, password } = tcp;
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw refuse('badArgument', `${port} is no TCP port: give one from 1 to 65535.`);
  if (!new RegExp(`^[A-Za-z0-9_.-]{8,${PASSWORD_LENGTH}}$`).test(password)) {
    throw refuse(
      'badArgument',
      `A TCP server needs a password of 8 to ${PASSWORD_LENGTH} letters and digits (kd takes no longer one): whoever reaches the port and knows it controls the guest and runs as you.`,
    );
  }
  return tcpPlan(port, password, hostname());
}

async function run(
  core: SessionCore,
  client: ClientIdentity,
  line: string,
  { breakAndResume }: Pick<ShareParams, 'breakAndResume'>,
  token: CancellationToken,
): Promise<{ readonly result: CommandResult; readonly printed: string }> {
  const ifRunning = breakAndResume === true ? ('break_and_resume' as const) : ('refuse' as const);
  const { results } = await runCommands(
    core,
    client,
    { lines: [line], timeoutMs: TIMEOUT_MS, ifRunning },
    token,
  );
  const [result] = results;
  if (result === undefined || (result.outcome !== 'done' && result.outcome !== 'resumed')) {
    throw refuse('wrongState', result?.error ?? `kd did not answer in ${TIMEOUT_MS / 1000} s. Try again.`);
  }
  return { result, printed: core.transcript.read(result.from, result.to - result.from).text };
}
