/** Ten thousand commands with breaks, resumes and a talking driver between them: none lost, none swapped. */
import { expect, it } from 'vitest';
import { agent, drive } from './kd-session.ts';

const COMMANDS = 10_000;
const RESUMES = 60;

/** A small repeatable generator (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A command and the output it must have, to the letter. */
function commandNumber(n: number, pick: number): readonly [string, string] {
  switch (Math.floor(pick * 6)) {
    case 0:
      return [`.printf "part ${n}"`, `part ${n}\n`];
    case 1:
      return [`.printf "a ${n}\\nb ${n}\\n"`, `a ${n}\nb ${n}\n`];
    case 2:
      return [`.echo 0: kd> ${n}`, `0: kd> ${n}\n`];
    case 3:
      return [`? 0n${n}`, `Evaluate expression: ${n} = 00000000\`${n.toString(16).padStart(8, '0')}\n`];
    case 4:
      return ['* a comment prints nothing', ''];
    default:
      return [`.echo line ${n}`, `line ${n}\n`];
  }
}

it('ten thousand mixed commands over randomly split output lose and swap nothing', {
  timeout: 240_000,
}, async () => {
  const kd = drive(['--scenario', 'driver-prints', '--chunk', '--seed', '7']);
  try {
    await kd.until((status) => status.linked);
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    const next = random(7);
    let stops = kd.status.generation;
    for (let n = 1; n <= COMMANDS; n++) {
      const [command, output] = commandNumber(n, next());
      expect([n, command, await kd.run(command)]).toEqual([n, command, output]);
      if (n % Math.floor(COMMANDS / RESUMES) !== 0) continue;
      expect(await kd.session.go(agent)).toEqual({ ok: true });
      expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
      stops++;
      expect(kd.status).toMatchObject({
        generation: stops,
        halt: { cause: agent, event: { kind: 'break-in' } },
      });
    }
    const outcomes = kd.outcomes().filter(({ outcome }) => outcome === 'done');
    expect(outcomes.length).toBe(COMMANDS);
    expect(kd.transcript().match(/tick|mydriver/g)?.length ?? 0).toBeGreaterThan(10);
    expect(kd.transcript()).not.toContain('KDMCP_');
  } finally {
    kd.dispose();
  }
});
