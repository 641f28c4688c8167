/** Taking figures. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/**
 * Two things in turn, so that whatever else the machine does meets both alike: the median of each, ms. Quick things go in
 * blocks: one alone would find the caches full of the other.
 */
export async function inTurn(
  rounds: number,
  ours: () => Promise<number>,
  raw: () => Promise<number>,
  block = 1,
): Promise<{ readonly ours: number; readonly raw: number }> {
  const taken = { ours: [] as number[], raw: [] as number[] };
  for (let round = 0; round < rounds; round += block) {
    for (let i = 0; i < block; i++) taken.raw.push(await raw());
    for (let i = 0; i < block; i++) taken.ours.push(await ours());
  }
  return { ours: median(taken.ours), raw: median(taken.raw) };
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  switch (process.platform) {
    case 'linux':
      return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    case 'win32': {
      const query = `(Get-Process -Id ${pid}).WorkingSet64`;
      return Number(execFileSync('powershell', ['-NoProfile', '-Command', query])) / 1024 / 1024;
    }
    default:
      return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024;
  }
}
