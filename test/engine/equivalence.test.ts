/** The console simulator says what the engine says, line by line, but for what differences.ts lists. */
import { describe, expect, test } from 'vitest';
import { DIFFERENCES } from './equivalence/differences.ts';
import { differingLines, normalise } from './equivalence/normalise.ts';
import { SCRIPTS } from './equivalence/scripts.ts';
import { type Block, engineSide, play, simulatorSide } from './equivalence/sides.ts';

describe.each(SCRIPTS)('$name', (script) => {
  test('is the same on the simulator and on the engine (-)', async () => {
    const [engine, simulator] = await Promise.all([
      engineSide().then((side) => play(side, script)),
      simulatorSide().then((side) => play(side, script)),
    ]);
    const found = differences(engine, simulator).filter(({ lines }) => lines.length > 0);
    const listed = DIFFERENCES.filter((one) => one.script === script.name);
    const unlisted = found.filter(({ step }) => !listed.some((one) => one.step === step));
    expect(unlisted, 'not in differences.ts').toEqual([]);
    const sizes = listed.map(({ step }) => [
      step,
      found.find((one) => one.step === step)?.lines.length ?? 'the same now: remove the entry',
    ]);
    expect(sizes, 'differences.ts says').toEqual(listed.map(({ step, lines }) => [step, lines]));
  });
});

test('the list of differences has no entry for a step that nobody takes', () => {
  const steps = new Set(SCRIPTS.map(({ name }) => name));
  expect(DIFFERENCES.filter(({ script }) => !steps.has(script))).toEqual([]);
});

function differences(
  engine: readonly Block[],
  simulator: readonly Block[],
): readonly { readonly step: string; readonly lines: readonly string[] }[] {
  expect(simulator.map(({ step }) => step)).toEqual(engine.map(({ step }) => step));
  return engine.map(({ step, text }, index) => ({
    step,
    lines: differingLines(normalise(text), normalise(simulator[index]?.text ?? '')),
  }));
}
