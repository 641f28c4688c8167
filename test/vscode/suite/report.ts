/** How a suite ends: its counts in `report.json`, an error for VS Code when a test failed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { page } from './page.ts';
import { runTests } from './runner.ts';

export async function runSuite(): Promise<void> {
  const count = await runTests(process.env.KD_MCP_TEST_ONLY ?? '', async (name) => page?.picture(name));
  const folder = process.env.KD_MCP_TEST_FOLDER;
  if (folder !== undefined) writeFileSync(join(folder, 'report.json'), JSON.stringify(count));
  if (count.failed > 0) throw new Error(`${count.failed} failed`);
}
