/** `kd-mcp simulate`: the bundled simulator of kd.exe on this terminal. */
import { spawn } from 'node:child_process';
import { runningProgram, simulatorProgram } from '../client/program.ts';

export async function simulate(args: readonly string[]): Promise<number> {
  const [command, ...leading] = simulatorProgram(runningProgram());
  const child = spawn(command, [...leading, ...args], { stdio: 'inherit' });
  // Ctrl+C is a break for the simulated kd, not an end of this program.
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
