/** Tests that no suite inside can do: it would go with its window. */
import { type Counts, runTests } from '../suite/runner.ts';
import { type Stage, setStage } from './stage.ts';
import './dialogs.test.ts';
import './korean.test.ts';
import './restricted.test.ts';
import './windows.test.ts';

export function runOutside(stage: Stage & { readonly only: string }): Promise<Counts> {
  setStage(stage);
  return runTests(stage.only);
}
