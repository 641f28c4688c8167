/**
 * The demo on Microsoft's own engine over KDNET: `npm run demo:engine`. The engine is installed where it is missing; the
 * product knows nothing of it. `-- DIR` takes the engine and the guest of a folder instead (rig-guest.ts).
 */
import { resolve } from 'node:path';
import { newKdnetKey } from '../../src/demo/connection.ts';
import { runDemo } from '../../src/demo/demo.ts';
import type { Guest } from '../../src/demo/guest.ts';
import { kdProgram } from './engine.ts';
import { rigGuest } from './rig-guest.ts';
import { spawnGuest } from './wire-guest.ts';

async function engineGuest(): Promise<Guest> {
  const kdExe = kdProgram();
  const key = newKdnetKey();
  const guest = await spawnGuest({ key });
  const tell = async (line: string): Promise<void> => {
    const answer = await guest.tell(line);
    if (answer !== 'ok') throw new Error(`The guest answered ${JSON.stringify(line)} with: ${answer}`);
  };
  return {
    description: 'Microsoft’s own engine on KDNET; its guest is a program that speaks the protocol of one.',
    kdExe,
    host: '127.0.0.1',
    port: guest.port,
    key,
    hasWinrm: false,
    longCommand: 'db nt L2000',
    print: (text) => tell(`print ${text.replaceAll('\n', '\\n')}`),
    execute: (symbol) => tell(`hit ${symbol}`),
    proveRunning: async () => {
      await guest.becomes('running');
      return 'The guest itself says that it runs.';
    },
    dispose: guest.end,
  };
}

const [folder] = process.argv.slice(2);
process.exitCode = await runDemo({
  guest: () => (folder === undefined ? engineGuest() : rigGuest(resolve(folder))),
  script: resolve(import.meta.dirname, '../../dist/cli.js'),
  next: ['npm run demo                  the same with the simulator in the place of the engine'],
});
