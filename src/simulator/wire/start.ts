/** Puts a guest on the wire from its command line. */
import { createInterface } from 'node:readline';
import { listenForControl } from '../console/control.ts';
import { obey } from './control.ts';
import { parseWireOptions, WIRE_USAGE } from './options.ts';
import { WIRE_SCENARIOS } from './scenario.ts';
import { Simulation } from './simulation.ts';

/** EX_USAGE. */
const USAGE = 64;

/** Runs until `exit` or a signal. */
export function startWire(args: readonly string[]): void {
  if (args.includes('--help')) {
    process.stdout.write(WIRE_USAGE);
    return;
  }
  if (args.includes('--list-scenarios')) {
    for (const { name, description } of WIRE_SCENARIOS)
      process.stdout.write(`${name.padEnd(16)}${description}\n`);
    return;
  }
  const options = parseWireOptions(args);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    process.exitCode = USAGE;
    return;
  }
  // Who started the target may have closed its output: it goes on.
  process.stdout.on('error', () => {});
  const tell = (line: string) => process.stdout.write(`${line}\n`);
  const simulation = new Simulation(options, { tell, onExit: () => end() });
  const onLine = (line: string) => obey(simulation, line);
  const stopControl = options.control === undefined ? undefined : listenForControl(options.control, onLine);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    if (line.trim() !== '') tell(onLine(line));
  });
  const end = () => {
    lines.close();
    stopControl?.();
    simulation.dispose();
    process.stdin.destroy();
    // The answer to the line that ended it is still to be written.
    setImmediate(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  simulation.start();
  tell(`a simulated kernel offers itself to the debugger at ${options.host}:${options.port} (UDP)`);
}
