/** The suite. Loaded by run.mjs in code-server's VS Code, and by @vscode/test-electron on a desktop. */
import './activation.test.ts';
import './session.test.ts';
import './agent.test.ts';
import './stop.test.ts';
import './state-file.test.ts';
import { runTests } from './runner.ts';

/** Entry point that VS Code calls. */
export async function run(): Promise<void> {
  await runTests();
}
