/** Keeps one program in Wine open: Wine then need not start anew for every kd, which takes two seconds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { engineFolder } from './engine.ts';

export async function setup(): Promise<() => Promise<void>> {
  const prefix = join(dirname(engineFolder()), 'prefix');
  const keeper = spawn('wine', ['cmd.exe'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, WINEPREFIX: prefix, WINEDEBUG: '-all', DISPLAY: '' },
  });
  // Its first words: Wine is there.
  await once(keeper.stdout, 'data');
  keeper.stdout.resume();
  return async () => {
    const gone = once(keeper, 'exit');
    keeper.stdin.end();
    await gone;
  };
}
