/** `kd-mcp simulate`: the bundled simulator of kd.exe, or of a kernel for a real one, on this terminal. */
import { spawn } from 'node:child_process';
import { runningProgram, simulatorProgram } from '../client/program.ts';

const USAGE = `kd-mcp simulate [arguments]
A kd.exe that has a simulated guest. It takes kd's own arguments, e.g. -k net:port=50000,key=1.2.3.4, and
  --list-scenarios    what can be simulated
  --scenario <name>   which of them

kd-mcp simulate --wire --port <port> --key <w.x.y.z>
Only the guest: a kernel that a real kd.exe or WinDbg debugs over KDNET. --wire --help tells its options.
`;

export async function simulate(args: readonly string[]): Promise<number> {
  if (args.includes('--help') && !args.includes('--wire')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [command, ...leading] = simulatorProgram(runningProgram());
  const child = spawn(command, [...leading, ...args], { stdio: 'inherit' });
  // Ctrl+C is a break for the simulated kd, not an end of this program.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
