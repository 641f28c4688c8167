/** The simulator of kd.exe: a program of its own that behaves like kd on its pipes. */
import { codecOf } from './console/codec.ts';
import { parseOptions } from './console/options.ts';
import { Output } from './console/output.ts';
import { randomFrom } from './console/random.ts';
import { SCENARIOS, scenarioNamed } from './console/scenarios.ts';
import { KdSession } from './console/session.ts';

function main(args: readonly string[]): void {
  const { kd, simulator } = parseOptions(args);
  if (simulator.listScenarios) {
    for (const scenario of SCENARIOS) console.log(`${scenario.name.padEnd(16)}${scenario.description}`);
    return;
  }
  const scenario = scenarioNamed(simulator.scenario);
  if (!scenario) {
    console.error(`no scenario '${simulator.scenario}': --list-scenarios prints them`);
    process.exitCode = 64;
    return;
  }
  const codec = codecOf(simulator.codePage ?? scenario.codePage);
  const output = new Output({ codec, chunk: simulator.chunk ? randomFrom(simulator.seed) : undefined });
  const exit = (code: number) => void output.dispose().then(() => process.exit(code));
  const session = new KdSession(kd, scenario, output, codec, exit);
  process.on('SIGINT', () => session.requestBreak());
  process.on('SIGBREAK', () => session.requestBreak());
  session.start();
}

main(process.argv.slice(2));
