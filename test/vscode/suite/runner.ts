/** A test runner of a few lines: names, one after the other, a count at the end. No framework is loaded into VS Code. */
import { availableParallelism, loadavg } from 'node:os';

type Body = () => Promise<void>;
/** Thrown by {@link skip}. */
class Skipped extends Error {}

/** How a run ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

const tests: { readonly name: string; readonly body: Body }[] = [];

/** Declares a test; the name is a sentence about behaviour. Tests run in the order of their declaration. */
export function test(name: string, body: Body): void {
  tests.push({ name, body });
}

/** Ends the running test without a verdict. */
export function skip(reason: string): never {
  throw new Skipped(reason);
}

/** Waits until `look` gives something other than undefined, false or an empty list. Errors count as "not yet". */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  let last = '';
  while (Date.now() < end) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false && !(Array.isArray(seen) && seen.length === 0)) return seen;
    } catch (error) {
      if (error instanceof Skipped) throw error;
      last = ` (${error instanceof Error ? error.message : String(error)})`;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`Not within ${timeoutMs / 1000} s: ${what}${last}`);
}

/** A time for a machine that has nothing else to do: longer where programs wait for a processor. */
export function onThisMachine(ms: number): number {
  return ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

/** Runs what was declared and whose name contains `only`, prints each verdict. `onFailure` may take a picture. */
export async function runTests(only: string, onFailure?: (name: string) => Promise<void>): Promise<Counts> {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, body } of tests.filter((each) => each.name.includes(only))) {
    const started = Date.now();
    try {
      await body();
      count.passed += 1;
      console.log(`  ok    ${name} (${Date.now() - started} ms)`);
    } catch (error) {
      if (error instanceof Skipped) {
        count.skipped += 1;
        console.log(`  skip  ${name}: ${error.message}`);
        continue;
      }
      count.failed += 1;
      console.log(`  FAIL  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
      await onFailure?.(`failed-${count.failed}`).catch(() => {});
    }
  }
  return count;
}
