/**
 * `kd-mcp launch`: starts a host detached, passes it the request, relays its answer, and ends.
 *
 * A client that is killed together with its process tree does not take the host along: this process, the link between the
 * two, is gone by then.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { HostStarted } from './protocol.ts';

/**
 * A host lives for days and its garbage dies young: with V8's usual 16 MB for the young it grows by 30 MB after much
 * output, with 1 MB not at all, and is no slower (measured). VS Code's own runtime takes no such options.
 */
const SMALL = process.versions.electron === undefined ? ['--max-semi-space-size=1'] : [];

/** Starts `kd-mcp host` by the same program that runs now. */
export async function runLauncher(script: string | undefined = process.argv[1]): Promise<void> {
  process.stdout.on('error', () => {});
  const request = await readAll(process.stdin);
  const answer = script === undefined ? failure('the program is not known') : await launch(script, request);
  await new Promise<void>((resolve) => {
    process.stdout.write(`${answer.trim()}\n`, () => resolve());
  });
  process.exit(0);
}

/** The first line the host says. */
function launch(script: string, request: string): Promise<string> {
  return new Promise((resolve) => {
    const host = spawn(process.execPath, [...process.execArgv, ...SMALL, script, 'host'], {
      // Not the program's folder, which must stay removable, and not the client's, which may be anybody's.
      cwd: homeOf(request),
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    let said = '';
    host.on('error', (error) => resolve(failure(error.message)));
    host.on('exit', (code, signal) =>
      resolve(said.trim() === '' ? failure(`it ended with ${signal ?? code} and said nothing`) : said),
    );
    host.stdin.on('error', () => {});
    host.stdout.on('error', () => {});
    host.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(said.slice(0, said.indexOf('\n')));
    });
    host.stdin.end(request);
    host.unref();
  });
}

function failure(why: string): string {
  const started: HostStarted = { ok: false, error: `The session host could not be started: ${why}.` };
  return JSON.stringify(started);
}

function homeOf(request: string): string {
  try {
    const { home }: { home?: unknown } = JSON.parse(request);
    if (typeof home !== 'string') return process.cwd();
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return home;
  } catch {
    return process.cwd();
  }
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
