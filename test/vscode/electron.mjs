/**
 * Runs the suite in desktop VS Code, where nobody clicks or looks: tests that need that are skipped.
 *
 *   node test/vscode/electron.mjs [VERSION]    (default: stable; KD_MCP_VSCODE names an installed one instead)
 *
 * On Windows the extension brings its own Node, as its package there does: the suite's server and sessions run from the
 * home folder.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { koffiFiles } from '../../packaging/carried.ts';
import { stage } from '../../packaging/vsix.ts';
import { endSessions, QUIET } from './code-server.ts';
import { bundleSuite, ROOT } from './package.ts';
import { NOTHING } from './suite/runner.ts';

const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-electron-'));
const extension = join(folder, 'extension');
const workspace = join(folder, 'driver');
const home = join(folder, 'kd home');
const user = join(folder, 'user');
try {
  for (const path of [workspace, home, join(user, 'User')]) mkdirSync(path, { recursive: true });
  await stage(extension, process.platform === 'win32' ? windowsParts() : undefined);
  const settings = { ...QUIET, 'kdMcp.stateFile': join(folder, 'state/kd-session.json') };
  writeFileSync(join(user, 'User/settings.json'), JSON.stringify(settings));
  const installed = process.env.KD_MCP_VSCODE;
  const [version = 'stable'] = process.argv.slice(2);
  await runTests({
    ...(installed === undefined ? { version } : { vscodeExecutablePath: installed }),
    extensionDevelopmentPath: extension,
    extensionTestsPath: await bundleSuite('index'),
    extensionTestsEnv: { KD_MCP_HOME: home, KD_MCP_TEST_FOLDER: folder },
    launchArgs: [workspace, `--user-data-dir=${user}`, `--extensions-dir=${join(folder, 'extensions')}`],
  }).catch((error) => console.error(error));
  const report = join(folder, 'report.json');
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { ...NOTHING, failed: 1 };
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
} finally {
  endSessions(home);
  // What still runs from there on Windows keeps its files.
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  } catch (error) {
    console.error(error);
  }
}

/** Of this very Windows. */
function windowsParts() {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  return { 'node.exe': process.execPath, ...koffiFiles(join(ROOT, 'node_modules'), arch) };
}
