/** What a subcommand works with: configuration, home folder and the sessions in it. */
import { createSessions } from '../client/registry.ts';
import type { Sessions } from '../client/sessions.ts';
import { ConfigError } from '../config/error.ts';
import { homeFolder } from '../config/home.ts';
import { defaultConfig, loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { ClientIdentity } from '../host/protocol.ts';
import { HeldSessions } from '../tools/held-sessions.ts';
import { kdProgram } from '../tools/kd-program.ts';
import { Rescuer } from '../tools/rescuer.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { GlobalOptions } from './program.ts';

export interface Setup {
  readonly home: string;
  readonly config: Config;
  readonly configPath?: string;
  /** Files that were looked for. */
  readonly searched: readonly string[];
  /** Why the configuration cannot be used; `config` holds the defaults then. */
  readonly configProblem?: string;
  readonly warnings: readonly string[];
}

/** Reads the configuration. A wrong one is reported, not thrown: looking and freeing a guest must always work. */
export function readSetup(options: GlobalOptions): Setup {
  const home = homeFolder(options.home === undefined ? {} : { home: options.home });
  try {
    const loaded = loadConfig(options.config === undefined ? {} : { path: options.config });
    const { config, path, searched, warnings } = loaded;
    return { home, config, searched, warnings, ...(path === undefined ? {} : { configPath: path }) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { home, config: defaultConfig(), searched: [], warnings: [], configProblem: error.message };
  }
}

/** The sessions of the home folder, started as the configuration says. */
export function openSessions(setup: Setup, identity: ClientIdentity): Sessions {
  const { kd, security } = setup.config;
  return createSessions({
    home: setup.home,
    identity,
    findDebugger: () => kdProgram(setup.config),
    startupTimeoutSec: kd.startup_timeout_sec,
    haltLeaseSec: kd.halt_lease_sec,
    orphanGraceSec: kd.orphan_grace_sec,
    limits: { level: security.level, security },
    ...(kd.workdir === undefined ? {} : { workdir: kd.workdir }),
  });
}

/** What the tools work with, for one MCP client. */
export function toolContext(
  options: GlobalOptions,
  identity: ClientIdentity,
): Omit<ToolContext, 'signal' | 'progress'> {
  const setup = readSetup(options);
  const { config, configPath, configProblem, warnings } = setup;
  const sessions = openSessions(setup, identity);
  const rescuer = new Rescuer(sessions);
  rescuer.look();
  return {
    sessions: new HeldSessions(sessions, (lost) => rescuer.look(lost)),
    rescuer,
    config,
    configWarnings: warnings,
    ...(configPath === undefined ? {} : { configPath }),
    ...(configProblem === undefined ? {} : { configProblem }),
  };
}
