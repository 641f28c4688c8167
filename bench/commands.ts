/** What a command costs beyond kd itself, and how fast much output comes through. */
import { inTurn, timed } from './measure.ts';
import { RawKd } from './raw-kd.ts';
import type { Stage } from './stage.ts';
import { simulator } from './stage.ts';
import type { Row } from './table.ts';

const COMMAND = '.echo hello';
export const LONG_COMMAND = '!process 0 7';
const ROUNDS = 1_000;
const BLOCK = 50;
const WARM_UP = 50;
const LONG_ROUNDS = 9;

export async function measureCommands(stage: Stage): Promise<readonly Row[]> {
  const raw = await RawKd.start(simulator());
  const mcp = await stage.serve();
  const run = (command: string) => (): Promise<number> =>
    timed(async () => {
      const { results } = await stage.session.command([command], { timeoutMs: 60_000 });
      if (results[0]?.outcome !== 'done') throw new Error(`"${command}" ended as ${results[0]?.outcome}`);
    });
  const runRaw = (command: string) => (): Promise<number> => timed(() => raw.run(command));
  const call = (): Promise<number> => timed(() => mcp.call('kd_command', { command: COMMAND }));
  try {
    await inTurn(WARM_UP, run(COMMAND), runRaw(COMMAND));
    const quick = await inTurn(ROUNDS, run(COMMAND), runRaw(COMMAND), BLOCK);
    await inTurn(WARM_UP, call, runRaw(COMMAND));
    const tool = await inTurn(ROUNDS, call, runRaw(COMMAND), BLOCK);
    const before = stage.session.info.transcriptEnd;
    await run(LONG_COMMAND)();
    const bytes = (await stage.session.refresh()).transcriptEnd - before;
    await runRaw(LONG_COMMAND)();
    const long = await inTurn(LONG_ROUNDS, run(LONG_COMMAND), runRaw(LONG_COMMAND));
    const over = quick.ours - quick.raw;
    const ratio = long.ours / long.raw;
    const rate = (ms: number): string => `${ms.toFixed(0)} ms, ${(bytes / 1000 / ms).toFixed(0)} MB/s`;
    return [
      {
        what: 'a command (client, host, kd)',
        ours: `${quick.ours.toFixed(2)} ms`,
        raw: `${quick.raw.toFixed(2)} ms raw pipe`,
        figure: `+${over.toFixed(2)} ms`,
        goal: { text: '≤ 1 ms over raw', met: over <= 1 },
      },
      {
        what: 'the same as a tool call (MCP)',
        ours: `${tool.ours.toFixed(2)} ms`,
        raw: `${tool.raw.toFixed(2)} ms raw pipe`,
        figure: `+${(tool.ours - tool.raw).toFixed(2)} ms`,
      },
      {
        what: `${(bytes / 1e6).toFixed(1)} MB of output`,
        ours: rate(long.ours),
        raw: `${rate(long.raw)} raw pipe`,
        figure: `× ${ratio.toFixed(2)}`,
        goal: { text: '≤ 1.5 × raw', met: ratio <= 1.5 },
      },
    ];
  } finally {
    await mcp.close();
    await raw.dispose();
  }
}
