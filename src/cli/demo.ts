/** `kd-mcp demo`: the main job on the simulator, narrated. */
import { basename, relative } from 'node:path';
import { runDemo } from '../demo/demo.ts';
import { simulatedGuest } from '../demo/simulated-guest.ts';

export function demo(): Promise<number> {
  const program = callName(process.argv[1]);
  return runDemo({
    guest: simulatedGuest,
    next: [
      row(`${program} doctor`, 'checks what a real session needs: kd.exe, symbols, state file, port'),
      row(
        `${program} simulate`,
        'a simulated kd.exe on this terminal: try commands, Ctrl+C breaks in, q ends',
      ),
      row('README.md, "Use it"', 'how to give these tools to VS Code, Codex or Claude Code'),
    ],
  });
}

function row(what: string, why: string): string {
  return `${what.padEnd(26)}${why}`;
}

/** What to type to run this program again. */
function callName(script: string | undefined): string {
  if (script === undefined || !/^cli\.[jt]s$/.test(basename(script))) return 'kd-mcp';
  return `node ${relative(process.cwd(), script)}`;
}
