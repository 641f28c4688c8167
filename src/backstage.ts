/**
 * The part of the extension that loads the configuration's libraries (zod, yaml): a bundle of its own beside
 * `extension.cjs`, loaded on first use. No VS Code in here.
 */
import { createHash } from 'node:crypto';
import type { Session, StartOptions } from './client/sessions.ts';
import { loadConfig } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { readStateFile, StateFileMissing } from './state-file/read.ts';
import type { StateFile } from './state-file/schema.ts';
import { resumeForWinrmTool } from './tools/resume-for-winrm.ts';
import type { Backstage, ConfigSources, StateFileLook, WinrmReturn } from './ui/backstage.ts';

/** @throws ConfigError that names file or setting, key, expected and found. */
export function openBackstage(sources: ConfigSources): Backstage {
  const { config, warnings } = loadConfig({
    settings: sources.settings,
    ...(sources.configFile === undefined ? {} : { path: sources.configFile }),
  });
  return {
    stateFilePath: config.kd.state_file,
    warnings,
    findDebugger: async () => undefined,
    readStateFile: () => lookAtStateFile(config.kd.state_file),
    fromStateFile: async () => startFrom(await readStateFile(config.kd.state_file), config),
    simulated: () => ({ connection: { transport: 'simulator', scenario: 'idle' } }),
    resumeForWinrm: (session, options) => resumeForWinrm(session, config, options),
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
    return { kind: 'unusable', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Of what makes a connection: a file that is written again with another time stamp is no news. */
function fingerprint(state: StateFile): string {
  return createHash('sha256')
    .update(JSON.stringify([state.guest_host, state.port, state.key]))
    .digest('hex');
}

function startFrom(state: StateFile, config: Config): StartOptions {
  return {
    // No `target=`: the guest contacts the host, and its address may have changed (design.md §5).
    connection: { transport: 'net', port: state.port, key: state.key },
    guestHost: state.guest_host,
    stateFile: config.kd.state_file,
    breakOnConnect: config.kd.auto_initial_break,
    ...(config.kd.symbol_path === undefined ? {} : { symbolPath: config.kd.symbol_path }),
  };
}

async function resumeForWinrm(
  session: Session,
  config: Config,
  options: { signal: AbortSignal; progress: (text: string) => void },
): Promise<WinrmReturn> {
  void session;
  void config;
  void options;
  void resumeForWinrmTool;
  return { ready: false, text: '' };
}
