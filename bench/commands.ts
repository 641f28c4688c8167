/** What a command costs beyond kd itself, and how fast much output comes through. */
import type { Session } from '../src/client/sessions.ts';
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

/** What a quick command costs through client and host, beside a raw pipe to the same program. */
export async function measureQuick(what: string, session: Session, raw: RawKd): Promise<Row> {
  const ours = (): Promise<number> => runIn(session, COMMAND);
  const bare = (): Promise<number> => timed(() => raw.run(COMMAND));
  await inTurn(WARM_UP, ours, bare);
  const quick = await inTurn(ROUNDS, ours, bare, BLOCK);
  const over = quick.ours - quick.raw;
  return {
    what,
    ours: `${quick.ours.toFixed(2)} ms`,
    raw: `${quick.raw.toFixed(2)} ms raw pipe`,
    figure: `+${over.toFixed(2)} ms`,
    goal: { text: '≤ 1 ms over raw', met: over <= 1 },
  };
}

function runIn(session: Session, command: string): Promise<number> {
  return timed(async () => {
    const { results } = await session.command([command], { timeoutMs: 60_000 });
    if (results[0]?.outcome !== 'done') throw new Error(`"${command}" ended as ${results[0]?.outcome}`);
  });
}

export async function measureCommands(stage: Stage): Promise<readonly Row[]> {
  const raw = await RawKd.start(simulator());
  const mcp = await stage.serve();
  const run = (command: string) => (): Promise<number> => runIn(stage.session, command);
  const runRaw = (command: string) => (): Promise<number> => timed(() => raw.run(command));
  const call = (): Promise<number> => timed(() => mcp.call('kd_command', { command: COMMAND }));
  try {
    const quick = await measureQuick('a command (client, host, kd)', stage.session, raw);
    await inTurn(WARM_UP, call, runRaw(COMMAND));
    const tool = await inTurn(ROUNDS, call, runRaw(COMMAND), BLOCK);
    const before = stage.session.info.transcriptEnd;
    await run(LONG_COMMAND)();
    const bytes = (await stage.session.refresh()).transcriptEnd - before;
    await runRaw(LONG_COMMAND)();
    const long = await inTurn(LONG_ROUNDS, run(LONG_COMMAND), runRaw(LONG_COMMAND));
    const ratio = long.ours / long.raw;
    const rate = (ms: number): string => `${ms.toFixed(0)} ms, ${(bytes / 1000 / ms).toFixed(0)} MB/s`;
    return [
      quick,
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
