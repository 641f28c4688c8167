/** From spawning `kd-mcp serve` to its answer to `initialize`, beside a Node that does nothing. */
import { spawn } from 'node:child_process';
import { inTurn } from './measure.ts';
import { PROGRAM } from './stage.ts';
import type { Row } from './table.ts';

const ROUNDS = 15;
const WARM_UP = 2;

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});

export async function measureStart(home: string): Promise<readonly Row[]> {
  const ours = (): Promise<number> => firstAnswer([PROGRAM.script, 'serve', '--home', home]);
  await inTurn(WARM_UP, ours, bareNode);
  const taken = await inTurn(ROUNDS, ours, bareNode);
  const over = taken.ours - taken.raw;
  return [
    {
      what: 'serve, spawn to first answer',
      ours: `${taken.ours.toFixed(0)} ms`,
      raw: `${taken.raw.toFixed(0)} ms node -e 0`,
      figure: `+${over.toFixed(0)} ms`,
      goal: { text: '≤ bare node + 200 ms', met: over <= 200 },
    },
  ];
}

function firstAnswer(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(PROGRAM.command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let took: number | undefined;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (took !== undefined || !said.includes('\n')) return;
      took = performance.now() - begun;
      child.stdin.end();
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (took === undefined) reject(new Error(`serve ended with ${code} and said: ${said}`));
      else resolve(took);
    });
    child.stdin.write(`${INITIALIZE}\n`);
  });
}

function bareNode(): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(PROGRAM.command, ['-e', '0'], { stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', () => resolve(performance.now() - begun));
  });
}
