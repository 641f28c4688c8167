/** `kd-mcp demo`: the main job on the simulator, narrated. */
import { runDemo } from '../demo/demo.ts';
import { simulatedGuest } from '../demo/simulated-guest.ts';

export function demo(): Promise<number> {
  return runDemo({
    guest: simulatedGuest,
    next: [
      'kd-mcp doctor                 checks what a real session needs: kd.exe, symbols, state file, port',
      'kd-mcp simulate               a simulated kd.exe on this terminal: try commands, Ctrl+C breaks in',
      'README.md, Clients            how to give these tools to VS Code, Codex or Claude Code',
    ],
  });
}
