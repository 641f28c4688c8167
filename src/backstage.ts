/**
 * The part of the extension that loads the configuration's libraries (zod, yaml): a bundle of its own beside
 * `extension.cjs`, loaded on first use. No VS Code in here.
 */
import { createHash } from 'node:crypto';
import { runningProgram } from './client/program.ts';
import { createSessions } from './client/registry.ts';
import type { StartOptions } from './client/sessions.ts';
import { loadConfig } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { findKd } from './kd/discover.ts';
import { programOf } from './kd/script.ts';
import { readStateFile, StateFileMissing } from './state-file/read.ts';
import type { StateFile } from './state-file/schema.ts';
import { returnToWinrm } from './tools/winrm-return.ts';
import type { Backstage, BackstageOptions, StateFileLook } from './ui/backstage.ts';

/** A person can stop waiting; a guest that boots may take this long. */
const WINRM_TIMEOUT_MS = 180_000;

/** @throws ConfigError that names file or setting, key, expected and found. */
export function openBackstage(options: BackstageOptions): Backstage {
  const { config, warnings } = loadConfig({
    settings: options.settings,
    ...(options.configFile === undefined ? {} : { path: options.configFile }),
  });
  const { kd } = config;
  return {
    stateFilePath: kd.state_file,
    warnings,
    missingDebugger: () =>
      findKd({ kdExe: kd.kd_exe }).then(
        () => undefined,
        (error: unknown) => messageOf(error),
      ),
    readStateFile: () => lookAtStateFile(kd.state_file),
    start: async (what) =>
      start(options, config, what === 'state-file' ? await fromStateFile(config) : SIMULATED),
    resumeForWinrm: (session, how) => returnToWinrm(session, { ...how, timeoutMs: WINRM_TIMEOUT_MS }),
  };
}

const SIMULATED: StartOptions = { connection: { transport: 'simulator', scenario: 'idle' } };

async function start(
  { home, identity, script }: BackstageOptions,
  { kd }: Config,
  options: StartOptions,
): Promise<{ id: string; existing: boolean }> {
  const sessions = createSessions({
    home,
    identity,
    program: runningProgram(script),
    findDebugger: async () => {
      const [best] = await findKd({ kdExe: kd.kd_exe });
      if (best === undefined) throw new Error('kd.exe was not found.');
      return programOf(best.path);
    },
    startupTimeoutSec: kd.startup_timeout_sec,
    haltLeaseSec: kd.halt_lease_sec,
    orphanGraceSec: kd.orphan_grace_sec,
    ...(kd.workdir === undefined ? {} : { workdir: kd.workdir }),
  });
  try {
    const { session, existing } = await sessions.start(options);
    return { id: session.id, existing };
  } finally {
    // The window has its own connection to each session.
    sessions.dispose();
  }
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

async function lookAtStateFile(path: string): Promise<StateFileLook> {
  try {
    const state = await readStateFile(path);
    return {
      kind: 'ready',
      seen: { guestHost: state.guest_host, port: state.port, fingerprint: fingerprint(state) },
    };
  } catch (error) {
    if (error instanceof StateFileMissing) return { kind: 'missing' };
    return { kind: 'unusable', problem: messageOf(error) };
  }
}

/** Of what makes a connection: a file that is written again with another time stamp is no news. */
function fingerprint(state: StateFile): string {
  return createHash('sha256')
    .update(JSON.stringify([state.guest_host, state.port, state.key]))
    .digest('hex');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
