/** Puts a kd together from its command line: transport, guest, session, and what surrounds them. */
import { codecOf } from './codec.ts';
import { happen, listenForControl, obey } from './control.ts';
import { loadGuest, saveGuest } from './guest-file.ts';
import { Input } from './input.ts';
import { parseOptions, USAGE_TEXT } from './options.ts';
import { Output } from './output.ts';
import { randomFrom } from './random.ts';
import { joinSession } from './remote-client.ts';
import { SCENARIOS, type Scenario, scenarioNamed } from './scenarios.ts';
import { KdSession } from './session.ts';
import { STYLE_NAMES, styleOf } from './style.ts';
import { BANNER, GALLERY, VERSION } from './texts.ts';
import { Timeline } from './timeline.ts';
import { openTransport } from './transport.ts';
import { createWinRmPort } from './winrm.ts';

const NO_DEBUGGEE = 'Kernel Debug Target Status: [no_debuggee]; Retries: [0] times in last [7] seconds.\n';
/** A real kd stays for ever when its parent is gone and the target runs; the simulator does not litter. */
const ORPHAN_MS = 600_000;
/** EX_USAGE: the simulator's own options are wrong; kd itself never ends with it. */
const USAGE = 64;

/** Runs until kd ends; ends the process. */
export async function start(args: readonly string[]): Promise<void> {
  // From the first moment on: a break before anything is connected is kept, it must not end the process.
  let brokenEarly = false;
  let onBreak: () => unknown = () => {
    brokenEarly = true;
  };
  process.on('SIGINT', () => onBreak());
  process.on('SIGBREAK', () => onBreak());
  const { kd, simulator } = parseOptions(args);
  if (simulator.help) return tell(USAGE_TEXT);
  if (simulator.listScenarios) return tell(scenarioList());
  const scenario = scenarioNamed(simulator.scenario);
  if (!scenario) {
    const names = SCENARIOS.map(({ name }) => name).join(', ');
    process.stderr.write(`There is no scenario '${simulator.scenario}'. Scenarios: ${names}\n`);
    process.exitCode = USAGE;
    return;
  }
  const codec = codecOf(simulator.codePage ?? scenario.codePage);
  const style = styleOf(simulator.style);
  const output = new Output({ codec, chunk: simulator.chunk ? randomFrom(simulator.seed) : undefined });
  if (kd.target.kind === 'version') {
    output.print(`kd version ${VERSION}\n`);
    return void output.dispose();
  }
  output.print(`${style.noGallery ? '' : GALLERY}${BANNER}`);
  if (kd.target.kind === 'remote') {
    const joined = joinSession(kd.target.text, { output, codec, exit: (code) => end(output, code) });
    if (brokenEarly) joined.requestBreak();
    onBreak = joined.requestBreak;
    return;
  }
  const transport = await openTransport(kd.target, scenario);
  output.print(transport.text);
  if (!transport.ok) return end(output, transport.exitCode);

  const winrm = simulator.winrm && createWinRmPort(simulator.winrm.host, simulator.winrm.port);
  const { guestFile } = simulator;
  const session = new KdSession({
    options: kd,
    scenario,
    style,
    output,
    codec,
    exit(code) {
      transport.close();
      winrm?.dispose();
      stopControl?.();
      timeline.dispose();
      end(output, code);
    },
    onGuest(machine) {
      if (guestFile !== undefined) saveGuest(guestFile, machine);
      winrm?.setReachable(machine.state === 'running');
    },
    onPhase: (phase) => timeline.begin(phase),
  });
  const timeline = new Timeline(scenario, (event) => happen(session, event));
  if (guestFile !== undefined) loadGuest(guestFile, session.machine);
  const stopControl =
    simulator.control === undefined
      ? undefined
      : listenForControl(simulator.control, (line) => obey(session, line));
  onBreak = () => session.requestBreak();
  if (brokenEarly) onBreak();
  session.shell.attach(
    new Input(process.stdin, {
      onReadable: () => session.shell.pump(),
      onBreak: () => session.requestBreak(),
      onQuit: () => session.quit('as-is'),
      onEnd: () => void setTimeout(() => session.quit('as-is'), ORPHAN_MS),
    }),
  );
  if (kd.server !== undefined) output.print(await session.debugger.servers.open(kd.server));
  await connect(session, output, scenario);
}

async function connect(session: KdSession, output: Output, scenario: Scenario): Promise<void> {
  const { target } = session.debugger.options;
  session.announceGuest();
  if (target.kind === 'local' || target.kind === 'dump') session.openAtOnce();
  else {
    output.print(`${scenario.noDebuggee ? NO_DEBUGGEE : ''}Waiting to reconnect...\n`);
    session.link.wait();
  }
}

function end(output: Output, code: number): void {
  // On POSIX only the low 8 bits arrive (engine.md §1).
  void output.dispose().then(() => process.exit(process.platform === 'win32' ? code : code & 0xff));
}

function scenarioList(): string {
  const lines = SCENARIOS.map(({ name, description }) => `${name.padEnd(16)}${description}\n`);
  return `${lines.join('')}\n--style accepts: ${STYLE_NAMES.join(', ')}\n`;
}

/** For a person, who may have read enough (`| head`). */
function tell(text: string): void {
  process.stdout.on('error', () => process.exit(0));
  process.stdout.write(text);
}
