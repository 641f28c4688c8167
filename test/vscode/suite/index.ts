/** The suite. Loaded by inside.ts into code-server's VS Code, and by @vscode/test-electron on a desktop. */
import './activation.test.ts';
import './session.test.ts';
import './agent.test.ts';
import './stop.test.ts';
import './state-file.test.ts';
import './tools.test.ts';
import './several.test.ts';
import './help.test.ts';
import './commands.test.ts';
import { runSuite } from './report.ts';

/** Entry point that VS Code calls. */
export async function run(): Promise<void> {
  await runSuite();
}
