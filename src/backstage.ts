/**
 * The part of the extension that loads the configuration's libraries (zod, yaml): a bundle of its own beside
 * `extension.cjs`, loaded on first use. No VS Code in here.
 */
import { createSessions } from './client/registry.ts';
import { findRescuable, type Rescuable, rescue } from './client/rescue.ts';
import type { Disposable, Sessions, StartOptions } from './client/sessions.ts';
import { openWinDbg } from './client/windbg.ts';
import { ConfigError } from './config/error.ts';
import { defaultConfig, type LoadedConfig, loadConfig } from './config/load.ts';
import type { Config } from './config/schema.ts';
import type { Connection } from './kd/connection.ts';
import { findKd } from './kd/discover.ts';
import { parseKernelString } from './kd/pasted.ts';
import { programOf } from './kd/script.ts';
import { findWinDbg } from './kd/windbg.ts';
import { readStateFile } from './state-file/read.ts';
import type { StateFile } from './state-file/schema.ts';
import { watchStateFile } from './state-file/watch.ts';
import type { Check, CheckedSetup } from './tools/checks.ts';
import { returnToWinrm } from './tools/winrm-return.ts';
import type { Backstage, BackstageOptions, FrozenGuest, StateFileListener } from './ui/backstage.ts';

/** A person can stop waiting; a guest that boots may take this long. */
const WINRM_TIMEOUT_MS = 180_000;

/** @throws ConfigError that names file or setting, key, expected and found. */
export function openBackstage(options: BackstageOptions): Backstage {
  const { config, warnings } = load(options);
  const { kd } = config;
  return {
    stateFilePath: kd.state_file,
    warnings,
    missingDebugger: () =>
      findKd({ kdExe: kd.kd_exe }).then(
        () => undefined,
        (error: unknown) => messageOf(error),
      ),
    watchStateFile: (listener) => followStateFile(kd.state_file, listener),
    start: async (what) => start(options, config, await startOptions(what, config)),
    parseConnection: parseKernelString,
    openWinDbg: async (remote) => {
      const program = await findWinDbg({ windbgExe: kd.windbg_exe, kdExe: kd.kd_exe });
      if (program !== undefined) await openWinDbg(program, remote);
      return program !== undefined;
    },
    frozenGuests: () =>
      withSessions(options, config, async (sessions) => (await findRescuable(sessions)).map(frozenGuest)),
    rescue: (id, key) =>
      withSessions(options, config, async (sessions) => {
        const [report] = await rescue(sessions, { id, ...(key === undefined ? {} : { key }) });
        return report ?? { id, outcome: 'failed', detail: `Nothing is known of session ${id}.` };
      }),
    resumeForWinrm: (session, how) => returnToWinrm(session, { ...how, timeoutMs: WINRM_TIMEOUT_MS }),
  };
}

/** Checks everything a session needs, as `health_check` does; a wrong configuration is one of the findings. */
export async function checkSetup(options: BackstageOptions): Promise<readonly Check[]> {
  const { config, ...found } = readConfig(options);
  return withSessions(options, config, async (sessions) => {
    // What looks for programs and ports is loaded when it is asked for.
    const { runChecks } = await import('./tools/checks.ts');
    const checks: Check[] = [];
    for await (const check of runChecks({ ...found, config, sessions })) checks.push(check);
    return checks;
  });
}

function readConfig(options: BackstageOptions): Omit<CheckedSetup, 'sessions'> {
  try {
    const { config, path, warnings } = load(options);
    return { config, configWarnings: warnings, ...(path === undefined ? {} : { configPath: path }) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: defaultConfig(), configProblem: error.message };
  }
}

function load({ settings, configFile }: BackstageOptions): LoadedConfig {
  return loadConfig({ settings, ...(configFile === undefined ? {} : { path: configFile }) });
}

const SIMULATED: StartOptions = { connection: { transport: 'simulator', scenario: 'idle' } };

function frozenGuest({ record, connection, ask, onlyKey }: Rescuable): FrozenGuest {
  const { port } = record.connection;
  return {
    id: record.id,
    title: record.title,
    needsKey: connection === undefined && record.transport === 'net',
    ...(typeof port === 'number' ? { port } : {}),
    ...(ask === undefined ? {} : { ask }),
    ...(onlyKey ? { onlyKey } : {}),
  };
}

function start(
  options: BackstageOptions,
  config: Config,
  what: StartOptions,
): Promise<{ id: string; existing: boolean }> {
  return withSessions(options, config, async (sessions) => {
    const { session, existing } = await sessions.start(what);
    return { id: session.id, existing };
  });
}

/** Sessions for one task: the window has its own connection to each of them. */
async function withSessions<T>(
  { home, identity, program }: BackstageOptions,
  { kd, security }: Config,
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  const sessions = createSessions({
    home,
    identity,
    program: await program(),
    findDebugger: async () => {
      const [best] = await findKd({ kdExe: kd.kd_exe });
      if (best === undefined) throw new Error('kd.exe was not found.');
      return programOf(best.path);
    },
    startupTimeoutSec: kd.startup_timeout_sec,
    haltLeaseSec: kd.halt_lease_sec,
    orphanGraceSec: kd.orphan_grace_sec,
    limits: { level: security.level, security },
    ...(kd.workdir === undefined ? {} : { workdir: kd.workdir }),
  });
  try {
    return await work(sessions);
  } finally {
    sessions.dispose();
  }
}

async function startOptions(
  what: 'state-file' | 'simulated' | Connection,
  config: Config,
): Promise<StartOptions> {
  if (what === 'state-file') return fromStateFile(config);
  if (what === 'simulated') return SIMULATED;
  const { symbol_path } = config.kd;
  return { connection: what, ...(symbol_path === undefined ? {} : { symbolPath: symbol_path }) };
}

async function fromStateFile({ kd }: Config): Promise<StartOptions> {
  const state = await readStateFile(kd.state_file);
  return {
    // No `target=`: the guest contacts the host, and its address may have changed (design.md §5).
    connection: { transport: 'net', port: state.port, key: state.key },
    guestHost: state.guest_host,
    stateFile: kd.state_file,
    breakOnConnect: kd.auto_initial_break,
    ...(kd.symbol_path === undefined ? {} : { symbolPath: kd.symbol_path }),
  };
}

/** Which state is news to a person: another guest, port or key, or the same one after the file was gone. */
function followStateFile(path: string, listener: StateFileListener): Disposable {
  let known: string | undefined;
  let started = false;
  const watch = watchStateFile(path, {
    onState: (state) => {
      listener.onReady(true);
      const connection = connectionIn(state);
      const isNews = started && connection !== known;
      known = connection;
      if (isNews) listener.onNew({ guestHost: state.guest_host, port: state.port });
    },
    onError: (error) => {
      listener.onReady(false);
      listener.onProblem(error.message);
    },
    onGone: () => {
      known = undefined;
      listener.onReady(false);
    },
  });
  void watch.ready.then(() => {
    started = true;
    if (watch.state === undefined) listener.onReady(false);
  });
  return watch;
}

/** What makes the connection: a file that is written again with another time stamp is no news. */
function connectionIn({ guest_host, port, key }: StateFile): string {
  return JSON.stringify([guest_host, port, key]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
