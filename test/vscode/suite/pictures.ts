/** Takes pictures. Loaded by ../pictures.ts into code-server's VS Code. */
import './tour.ts';
import { runSuite } from './report.ts';

/** Entry point that VS Code calls. */
export async function run(): Promise<void> {
  await runSuite();
}
