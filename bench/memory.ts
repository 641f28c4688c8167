/** Memory of a session host and of `serve`, before and after 200 MB of output, beside a Node that does nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LONG_COMMAND } from './commands.ts';
import { median, residentMb } from './measure.ts';
import { openStage, PROGRAM, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const TOTAL_BYTES = 200e6;
const RUNS = 3;
const WARM_UP = 50;

interface Sample {
  readonly bare: number;
  readonly host: { readonly before: number; readonly after: number };
  readonly serve: { readonly before: number; readonly after: number };
}

export async function measureMemory(): Promise<readonly Row[]> {
  const samples: Sample[] = [];
  for (let run = 0; run < RUNS; run++) {
    const stage = await openStage();
    try {
      samples.push(await sample(stage));
    } finally {
      await stage.dispose();
    }
  }
  const of = (pick: (sample: Sample) => number): number => median(samples.map(pick));
  const bare = of((each) => each.bare);
  return (['host', 'serve'] as const).flatMap((who) => {
    const before = of((each) => each[who].before);
    const after = of((each) => each[who].after);
    const growth = of((each) => each[who].after - each[who].before);
    const over = before - bare;
    return [
      {
        what: `memory of ${who}, session in use`,
        ours: `${before.toFixed(0)} MB`,
        raw: `${bare.toFixed(0)} MB bare node`,
        figure: `+${over.toFixed(0)} MB`,
        ...(who === 'host' ? { goal: { text: '≤ bare node + 25 MB', met: over <= 25 } } : {}),
      },
      {
        what: `memory of ${who}, after 200 MB more`,
        ours: `${after.toFixed(0)} MB`,
        raw: `${before.toFixed(0)} MB before`,
        figure: `${growth < 0 ? '' : '+'}${growth.toFixed(0)} MB`,
        ...(who === 'host' ? { goal: { text: 'flat ± 10 MB', met: Math.abs(growth) <= 10 } } : {}),
      },
    ];
  });
}

async function sample(stage: Stage): Promise<Sample> {
  const bare = await bareNode();
  const mcp = await stage.serve();
  try {
    const host = stage.session.info.hostPid;
    const serve = mcp.pid ?? 0;
    // A session in use: code that runs often has been compiled.
    for (let i = 0; i < WARM_UP; i++) await mcp.call('kd_command', { command: 'r\nk\nlm\nvertarget' });
    const before = { host: residentMb(host), serve: residentMb(serve) };
    const begun = (await stage.session.refresh()).transcriptEnd;
    while ((await stage.session.refresh()).transcriptEnd - begun < TOTAL_BYTES) {
      const { isError, text } = await mcp.call('kd_command', { command: LONG_COMMAND, timeout_sec: 45 });
      if (isError) throw new Error(text);
    }
    return {
      bare,
      host: { before: before.host, after: residentMb(host) },
      serve: { before: before.serve, after: residentMb(serve) },
    };
  } finally {
    await mcp.close();
  }
}

/** A Node that only waits, once it has started. */
export async function bareNode(): Promise<number> {
  const child = spawn(PROGRAM.command, ['-e', 'setInterval(() => {}, 1e9); console.log()'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const taken = residentMb(child.pid ?? 0);
  child.kill();
  return taken;
}
