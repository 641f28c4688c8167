/**
 * `--activation`: how long the extension's activation takes (loading its code, `activate`), beside that of an extension
 * that does nothing. Both wait until a third one, when VS Code has come to rest, activates them one after the other in
 * the same extension host. In code-server's build; Debian only (test/vscode/install.sh).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, stage } from '../packaging/vsix.ts';
import { launchBrowser, WINDOW } from '../test/vscode/browser.ts';
import { openVsCode } from '../test/vscode/code-server.ts';
import { installedVsCode } from '../test/vscode/package.ts';
import { eventually } from '../test/vscode/suite/runner.ts';
import { median } from './measure.ts';
import type { Row } from './table.ts';

const ROUNDS = 9;
const GOAL_MS = 30;
const OURS = 'kd-mcp.kd-mcp';
const EMPTY = 'kd-mcp-bench.empty';
/** In the folder of VS Code: a line per window, milliseconds by extension. */
const FIGURES = 'activation.jsonl';

/** The one that activates the two. It waits for the other extensions of the window; the order changes from window to window. */
const CLOCK = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');
const file = join(process.env.KD_MCP_TEST_FOLDER, '${FIGURES}');
exports.activate = () => void setTimeout(async () => {
  const before = existsSync(file) ? readFileSync(file, 'utf8').split('\\n').length : 0;
  const ids = ['${OURS}', '${EMPTY}'];
  if (before % 2 === 1) ids.reverse();
  const figures = {};
  for (const id of ids) {
    const extension = vscode.extensions.getExtension(id);
    const early = extension.isActive;
    const start = performance.now();
    await extension.activate();
    figures[id] = early ? null : performance.now() - start;
  }
  appendFileSync(file, JSON.stringify(figures) + '\\n');
}, 4000);
`;

export async function measureActivation(): Promise<readonly Row[]> {
  const cache = installedVsCode();
  const folder = mkdtempSync(join(tmpdir(), 'kd-mcp-activation-'));
  const vsix = await packAll(folder);
  const browser = await launchBrowser();
  const vscode = await openVsCode({ cache, vsix });
  try {
    const page = await browser.newPage(WINDOW);
    const taken: (readonly [number, number])[] = [];
    // The first one fills the caches.
    for (let round = 0; round <= ROUNDS; round++) {
      await page.goto(vscode.address(vscode.workspace));
      taken.push(await figuresOf(join(vscode.folder, FIGURES), round));
    }
    taken.shift();
    const ours = median(taken.map(([one]) => one));
    const raw = median(taken.map(([, other]) => other));
    return [
      {
        what: 'activation in VS Code',
        ours: `${ours.toFixed(1)} ms`,
        raw: `${raw.toFixed(1)} ms empty extension`,
        figure: `+${(ours - raw).toFixed(1)} ms`,
        goal: { text: `≤ empty + ${GOAL_MS} ms`, met: ours - raw <= GOAL_MS },
      },
    ];
  } finally {
    await browser.close();
    await vscode.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figuresOf(file: string, round: number): Promise<readonly [number, number]> {
  return eventually(
    `the figures of window ${round}`,
    async () => {
      const line = readFileSync(file, 'utf8').split('\n')[round];
      if (line === undefined || line === '') return undefined;
      const { [OURS]: ours, [EMPTY]: empty } = JSON.parse(line) as Record<string, number | null>;
      if (typeof ours !== 'number' || typeof empty !== 'number')
        throw new Error(`Activated too early: ${line}`);
      return [ours, empty] as const;
    },
    60_000,
  );
}

/** Ours as it is shipped, but for what activates it; the empty one; and the clock. */
async function packAll(folder: string): Promise<readonly string[]> {
  const ours = join(folder, 'ours');
  await stage(ours);
  const manifest = join(ours, 'package.json');
  const { activationEvents: _, ...shipped } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, JSON.stringify({ ...shipped, activationEvents: ['onCommand:kdMcpBench.never'] }));
  const folders = {
    ours,
    empty: write(folder, 'empty', ['onCommand:kdMcpBench.never'], 'exports.activate = () => {};\n'),
    clock: write(folder, 'clock', ['onStartupFinished'], CLOCK),
  };
  const packed: string[] = [];
  for (const [name, path] of Object.entries(folders)) {
    const vsix = join(folder, `${name}.vsix`);
    await pack(path, vsix);
    packed.push(vsix);
  }
  return packed;
}

function write(parent: string, name: string, activationEvents: readonly string[], code: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  const manifest = {
    ...{ name, displayName: name, publisher: 'kd-mcp-bench', version: '1.0.0' },
    ...{ engines: { vscode: '^1.101.0' }, main: './extension.js', activationEvents },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'README.md'), `# ${name}\n`);
  writeFileSync(join(folder, 'LICENSE'), 'Only for a measurement.\n');
  writeFileSync(join(folder, 'extension.js'), code);
  return folder;
}
