/**
 * `kd-mcp host`: one session, the only owner of its kd. Reads one {@link HostStart} from stdin, answers one line on
 * stdout, and lives on its own from then on, until kd ends.
 *
 * Everything is imported here, nothing later: the program's folder may be deleted under a live session.
 */
import { join } from 'node:path';
import { createRedactor, type Redactor } from '../kd/redact.ts';
import { kdArguments, validateConnection } from '../kd/transport.ts';
import { enableCtrlC } from '../kd/win32-console.ts';
import { describeFailure } from '../kd/win32-library.ts';
import { logsFolder } from './home.ts';
import { endSession, type LiveHost, startSession } from './hosting.ts';
import { HostLog } from './log.ts';
import { startRefusal } from './permission.ts';
import type { HostStart, HostStarted } from './protocol.ts';
import { parseHostStart } from './validate.ts';
import { joinKillOnCloseJob } from './win32.ts';

/** The program. Returns when the session runs; the process goes on until kd ends. */
export async function runHost(): Promise<void> {
  process.stdout.on('error', () => {});
  let start: HostStart;
  try {
    start = parseHostStart(await readAll(process.stdin));
    requireValid(start);
  } catch (error) {
    return answer({ ok: false, error: error instanceof Error ? error.message : String(error) });
  }
  const redactor = createRedactor(kdArguments(start.connection).secrets);
  const log = new HostLog(
    logsFolder(start.home),
    join(logsFolder(start.home), `host-${start.id}.log`),
    redactor.redact,
  );
  if (process.platform === 'win32') prepareWindows(log);
  let host: LiveHost | undefined;
  surviveSignals(log, () => host);
  try {
    const started = await startSession(start, log, redactor);
    if (started.kind === 'live') host = started.host;
    await answer(started.answer);
    if (started.kind === 'live') {
      const { core, ended } = started.host;
      const { forsaken } = await ended;
      host = forsaken
        ? await startOver({ ...start, limits: core.permission.limits }, log, redactor)
        : undefined;
      await host?.ended;
      process.exit(0);
    }
  } catch (error) {
    log.write('the session could not be started', error);
    await answer({
      ok: false,
      error: redactor.redact(error instanceof Error ? error.message : String(error)),
    });
  }
  process.exit(1);
}

/** Once: a kd that ends like this again needs somebody who looks. A client that finds the guest first has it. */
async function startOver(start: HostStart, log: HostLog, redactor: Redactor): Promise<LiveHost | undefined> {
  log.write('kd went and left the guest to nobody: starting over to free it');
  const again = await startSession({ ...start, rescues: true, breakOnConnect: false }, log, redactor);
  return again.kind === 'live' ? again.host : undefined;
}

/**
 * kd takes a missing or malformed key or port without a word (engine.md §5).
 * @throws Error that names each, or says why an agent may not start this.
 */
function requireValid(start: HostStart): void {
  const problems = validateConnection(start.connection).filter((one) => one.severity === 'error');
  if (problems.length > 0) throw new Error(problems.map((one) => one.message).join('\n'));
  const refusal = startRefusal(start);
  if (refusal !== undefined) throw new Error(refusal);
}

/** kd, and what kd starts, must end with this process (a rescue needs the port) and must hear a Ctrl+C. */
function prepareWindows(log: HostLog): void {
  const joined = joinKillOnCloseJob();
  if (!joined.ok) log.write(`kd may outlive a killed host: ${describeFailure(joined)}`);
  const enabled = enableCtrlC();
  if (!enabled.ok) log.write(`a break may not reach kd: ${describeFailure(enabled)}`);
}

/**
 * SIGTERM means stop: the guest is resumed first. A Ctrl+C or the end of a terminal means others. On Windows these
 * handlers last until the first break only: with AttachConsole the host shares kd's console, hears each event meant for
 * kd, and has lost Node's handlers; a native one protects it from there on (kd/win32-console.ts).
 */
function surviveSignals(log: HostLog, host: () => LiveHost | undefined): void {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGBREAK'] as const) {
    if (signal !== 'SIGBREAK' || process.platform === 'win32') process.on(signal, () => {});
  }
  process.on('SIGTERM', () => {
    const live = host();
    if (live === undefined) process.exit(1);
    void endSession(live);
  });
  process.on('unhandledRejection', (reason) => log.write('unhandled rejection', reason));
  process.on('uncaughtException', (error) => {
    log.write('uncaught exception', error);
    const live = host();
    if (live === undefined) process.exit(1);
    // A host that is broken must not keep a guest: end the session as a stop would.
    void endSession(live);
  });
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function answer(started: HostStarted): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(started)}\n`, () => resolve());
  });
}
