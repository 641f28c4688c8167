/** What a session needs, checked one by one: for `health_check` and `kd-mcp doctor`. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { findRescuable } from '../client/rescuable.ts';
import type { Sessions } from '../client/sessions.ts';
import type { Config } from '../config/schema.ts';
import { PROTOCOL, type SessionRecord } from '../host/protocol.ts';
import { isElevated } from '../host/win32.ts';
import { findKd, type KdSource } from '../kd/discover.ts';
import { lintSymbolPath } from '../kd/transport.ts';
import { portAdvice, probeUdpPort } from '../kd/udp-port.ts';
import { describeFailure } from '../kd/win32-library.ts';
import { findWinDbg } from '../kd/windbg.ts';
import { readStateFile, StateFileMissing } from '../state-file/read.ts';
import { ageOf, type StateFile, StateFileError } from '../state-file/schema.ts';
import { VERSION } from '../version.ts';
import { causeWords, seconds } from './status.ts';

export interface Check {
  readonly name: string;
  /** `bad`: a session cannot work like this. `warn`: it may. */
  readonly verdict: 'ok' | 'warn' | 'bad';
  /** What was found and, unless it is fine, what to do. Never a key. */
  readonly text: string;
}

export interface CheckedSetup {
  readonly sessions: Sessions;
  readonly config: Config;
  readonly configPath?: string;
  readonly configProblem?: string;
  readonly configWarnings?: readonly string[];
}

/** Runs the checks in order; each comes as soon as it is done. */
export async function* runChecks(setup: CheckedSetup): AsyncGenerator<Check> {
  yield program();
  if (process.platform === 'win32') yield windows();
  yield homeFolder(setup.sessions.home);
  yield configuration(setup);
  // Its defaults say nothing about what was meant.
  const usable = setup.configProblem === undefined;
  if (usable) {
    yield symbols(setup.config);
    yield await debuggerProgram(setup.config);
    yield await windbg(setup.config);
  }
  const live = await setup.sessions.list();
  yield sessionsOf(live);
  const lost = await frozenGuests(setup.sessions);
  if (lost) yield lost;
  if (!usable) return;
  const { check, state } = await stateFile(setup.config);
  yield check;
  if (state) yield await port(state.port, live);
}

function program(): Check {
  const major = Number(process.versions.node.split('.')[0]);
  const text = `kd-mcp ${VERSION}, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  return major >= 22
    ? { name: 'program', verdict: 'ok', text }
    : { name: 'program', verdict: 'bad', text: `${text}. Node 22 or newer is needed.` };
}

/** What only Windows has: its functions, and rights that some targets need. */
function windows(): Check {
  const name = 'Windows';
  const elevated = isElevated();
  if (!elevated.ok) {
    const text = `${describeFailure(elevated)}: a break reaches kd by Ctrl+F only, and kd may outlive a session that is killed. Install koffi beside kd-mcp.`;
    return { name, verdict: 'warn', text };
  }
  const text = elevated.value
    ? 'runs as administrator'
    : 'runs without administrator rights: COM ports, Hyper-V pipes and the local kernel need them';
  return { name, verdict: 'ok', text };
}

function homeFolder(home: string): Check {
  try {
    mkdirSync(home, { recursive: true });
    accessSync(home, constants.W_OK | constants.R_OK);
    return { name: 'home folder', verdict: 'ok', text: home };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      name: 'home folder',
      verdict: 'bad',
      text: `${home} cannot be written (${why}). Give another with --home or KD_MCP_HOME.`,
    };
  }
}

function configuration({ configPath, configProblem, configWarnings }: CheckedSetup): Check {
  const name = 'configuration';
  if (configProblem !== undefined) {
    const text = `${configProblem}\nSymbol path, kd.exe, state file and port are checked once it is corrected.`;
    return { name, verdict: 'bad', text };
  }
  const text = configPath ?? 'no file, all defaults';
  if (configWarnings && configWarnings.length > 0)
    return { name, verdict: 'warn', text: [text, ...configWarnings].join('\n') };
  return { name, verdict: 'ok', text };
}

function symbols({ kd }: Config): Check {
  const name = 'symbol path';
  if (kd.symbol_path === undefined) return { name, verdict: 'ok', text: 'the default of kd' };
  const { warnings, corrected } = lintSymbolPath(kd.symbol_path);
  if (warnings.length === 0) return { name, verdict: 'ok', text: kd.symbol_path };
  const better = corrected === kd.symbol_path ? '' : ` Probably meant: ${corrected}`;
  return { name, verdict: 'warn', text: `${warnings.join(' ')}${better}` };
}

const SOURCES: Readonly<Record<KdSource, string>> = {
  config: 'kd.kd_exe',
  kits: 'Windows kit',
  registry: 'Windows kit',
  store: 'Microsoft Store',
  path: 'PATH',
};

/** Only a person's convenience: without it everything else works. */
async function windbg({ kd }: Config): Promise<Check> {
  const found = await findWinDbg({ windbgExe: kd.windbg_exe, kdExe: kd.kd_exe });
  const text = found?.join(' ') ?? 'none (sessions cannot be opened in it)';
  return { name: 'WinDbg', verdict: 'ok', text };
}

async function debuggerProgram(config: Config): Promise<Check> {
  const name = 'kd.exe';
  try {
    const found = await findKd({ kdExe: config.kd.kd_exe });
    const [best, ...others] = found.map(({ path, source }) => `${path} (${SOURCES[source]})`);
    const more = others.length === 0 ? '' : `; also ${others.join(', ')}`;
    return { name, verdict: 'ok', text: `${best ?? 'none'}${more}` };
  } catch (error) {
    // Elsewhere than on Windows there is the simulator, and it needs none.
    const verdict = process.platform === 'win32' || config.kd.kd_exe !== undefined ? 'bad' : 'warn';
    return { name, verdict, text: error instanceof Error ? error.message : String(error) };
  }
}

function sessionsOf(live: readonly SessionRecord[]): Check {
  const name = 'sessions';
  if (live.length === 0) return { name, verdict: 'ok', text: 'none' };
  const now = Date.now();
  const lines = live.map((record) => {
    const halt = record.halt
      ? `, guest frozen ${seconds(now - record.halt.since)} by ${causeWords(record.halt.cause)}`
      : '';
    const version = record.protocol === PROTOCOL ? '' : ', runs another version of KD-MCP';
    return `${record.id} (${record.state}${halt}${version})`;
  });
  const other = live.some((record) => record.protocol !== PROTOCOL);
  return { name, verdict: other ? 'warn' : 'ok', text: lines.join(', ') };
}

/** Guests that a session which died left halted, and that nobody has taken care of. */
async function frozenGuests(sessions: Sessions): Promise<Check | undefined> {
  const left = await findRescuable(sessions);
  if (left.length === 0) return undefined;
  const words = left.map(({ record, ask }) => (ask === undefined ? record.id : `${record.id} (${ask})`));
  return {
    name: 'frozen guests',
    verdict: 'warn',
    text: `${words.join(', ')}: the session died while its guest was halted, so the guest may still be frozen. kd-mcp rescue frees it.`,
  };
}

async function stateFile({ kd }: Config): Promise<{ check: Check; state?: StateFile }> {
  const name = 'state file';
  try {
    const state = await readStateFile(kd.state_file);
    const age = ageOf(state);
    const written = age === undefined ? '' : `, written ${seconds(age * 1000)} ago`;
    const text = `${kd.state_file}: guest ${state.guest_host}, port ${state.port}${written}`;
    return { check: { name, verdict: 'ok', text }, state };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    return {
      check: { name, verdict: error instanceof StateFileMissing ? 'warn' : 'bad', text: error.message },
    };
  }
}

async function port(number: number, live: readonly SessionRecord[]): Promise<Check> {
  const name = 'port';
  const owner = live.find(
    (record) => record.connection.transport === 'net' && record.connection.port === number,
  );
  if (owner)
    return {
      name,
      verdict: 'ok',
      text: `UDP port ${number} is used by session ${owner.id}, as it should be`,
    };
  const verdict = await probeUdpPort(number);
  return { name, verdict: verdict.kind === 'free' ? 'ok' : 'bad', text: portAdvice(number, verdict) };
}
