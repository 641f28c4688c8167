/**
 * A key is planted, printed by kd and the guest in every spelling and at every time, typed by agent and person, quoted in
 * errors, thrown in the host: then everything that the product wrote or said is searched for any part of it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { StartOptions } from '../../src/client/sessions.ts';
import { AGENT, CLI, createRig, gone, KEY, kill, PERSON, type Rig, whenClosed, whenInfo } from './rig.ts';
import type { Act, Script } from './scripted-kd.ts';
import { call, initialize, Serve } from './serve-process.ts';

const PASSWORD = 'Tr0ub4dor-and-3';
const PROGRAM = join(import.meta.dirname, 'scripted-kd.ts');

/** As a debugger, Windows' own tools, a URL, a script and JSON spell a secret. */
const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  argument: (secret) => `net:port=50000,key=${secret}`,
  'upper case': (secret) => `Busparams=1.0.0, Key=${secret.toUpperCase()}`,
  kdtargetmac: (secret) => `Kernel Target MAC:  .kdtargetmac net:port=50000,key=${secret}`,
  'debugger object': (secret) =>
    `[0x0] : Remote KD: KdSrv:Server=@{<Local>},Trans=@{NET:Port=50000,Key=${secret}}`,
  bcdedit: (secret) => `key                     ${secret}`,
  password: (secret) => `npipe:pipe=kd,server=box,password=${secret}`,
  URL: (secret) => `x-kd:open?key%3D${secret.replaceAll('.', '%2E').replaceAll('-', '%2d')}`,
  JSON: (secret) => `{"key":"${secret.replaceAll('.', '\\u002e').replaceAll('-', '\\u002D')}"}`,
  bare: (secret) => secret,
};

const all = (secret: string): string =>
  Object.entries(SPELLINGS)
    .map(([name, spell]) => `${name}: ${spell(secret)}\n`)
    .join('');

/** Cut where it hurts: in the middle of a secret and of an escape, with a pause. */
const inPieces = (text: string): readonly Act[] =>
  (text.match(/[\s\S]{1,37}/g) ?? []).flatMap((piece, at) =>
    at % 4 === 3 ? [piece, { wait: 60 }] : [piece],
  );

/** A debugger that cannot keep a secret. */
function talkative(secret: string): Script {
  // The last line is what a client of another debugger is told.
  const connected =
    'Waiting to reconnect...\nConnected to target 127.0.0.1 on port 50000 on local IP 127.0.0.1.\nKernel Debugger connection established.\nBOX\\me (npipe kd) connected at Mon Nov 30 21:17:50 2026\n';
  const box = `Break instruction exception - code 80000003 (first chance)\nnt!${secret}:\n`;
  return {
    start: [
      `Microsoft (R) Windows Debugger Version 10.0 ${secret}\n`,
      ...inPieces(all(secret)),
      connected,
      `Windows 10 Kernel Version 19041 ${secret} UP Free x64\n`,
      'run',
    ],
    interrupts: [[...inPieces(all(secret)), box]],
    lines: {
      version: inPieces(all(secret)),
      bad: [`    ^ Syntax error in '${secret}'\n`],
      asks: [`${secret}\nInput> `, 'ask'],
      g: [`key ${secret}\n`, 'run'],
      qd: [{ exit: 0 }],
      q: [{ exit: 0 }],
    },
    answers: { '*': [`is ${secret}\n`] },
  };
}

/** The program of a debugger that plays the script, with its own files outside of the home. */
function debuggerOf(secret: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'kdt-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'script.json'), JSON.stringify(talkative(secret)));
  const kd = join(folder, 'kd.mjs');
  const script = JSON.stringify(`@${join(folder, 'script.json')}`);
  const program = JSON.stringify(pathToFileURL(PROGRAM).href);
  writeFileSync(
    kd,
    `import { spawn } from 'node:child_process';
const kd = spawn(process.execPath, [new URL(${program}).pathname, ${script}], { stdio: 'inherit' });
process.on('SIGINT', () => kd.kill('SIGINT'));
kd.on('exit', (code) => process.exit(code ?? 1));
`,
  );
  return kd;
}

/** Where any eight characters of a secret stand, in whatever spelling, case and encoding. */
function partsOf(secret: string, text: string): readonly string[] {
  const plain = text
    .replaceAll('\0', '')
    .replace(/%([0-9a-f]{2})|\\+u00([0-9a-f]{2})/gi, (_, one?: string, two?: string) =>
      String.fromCharCode(Number.parseInt(one ?? two ?? '', 16)),
    )
    .toLowerCase();
  const wanted = secret.toLowerCase();
  const windows = Array.from({ length: wanted.length - 7 }, (_, at) => wanted.slice(at, at + 8));
  const found = windows.map((part) => plain.indexOf(part)).filter((at) => at >= 0);
  return found.slice(0, 3).map((at) => plain.slice(Math.max(0, at - 200), at + 100));
}

/** Every file below a folder, with its name. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}\n`)
    .join('');
}

/** What the lines of a session are: with the secret in them, refused, asked, unknown. */
const linesWith = (secret: string): readonly string[] => [
  'version',
  'bad',
  `.echo net:port=50000,key=${secret}`,
  `.server npipe:pipe=kd,password=${secret}`,
  `kd -k net:port=1,key=${secret}; q`,
  `.echo 안 ${secret}`,
];

async function throughServe(rig: Rig, secret: string, start: Record<string, unknown>): Promise<string> {
  const config = join(rig.home, 'config.yaml');
  // Another machine is not for an agent below that.
  const level = 'remote' in start ? 'unrestricted' : 'debug';
  writeFileSync(
    config,
    `security:\n  level: ${level}\nkd:\n  kd_exe: ${JSON.stringify(debuggerOf(secret))}\n`,
  );
  const serve = new Serve(['--home', rig.home, '--config', config]);
  onTestFinished(() => void serve.child.kill('SIGKILL'));
  let id = 1;
  const ask = async (tool: string, args: Record<string, unknown> = {}): Promise<void> => {
    serve.send(call(++id, tool, args));
    await serve.answer(id);
  };
  serve.send(initialize);
  await ask('start_kd', start);
  await ask('break_in');
  for (const command of linesWith(secret)) await ask('kd_command', { command, timeout_sec: 5 });
  await ask('kd_command', { command: 'asks' });
  await ask('kd_command', { command: secret, answer: true });
  await ask('read_output', { from: 0, grep: 'key' });
  await ask('read_output', { from: 0 });
  await ask('start_kd', { ...start, port: 'x', nonsense: secret });
  await ask('health_check');
  await ask('list_sessions');
  await ask('continue_go', { wait_sec: 0 });
  await ask('stop_kd');
  await ask('read_output', { from: 0 });
  serve.child.stdin.end();
  await serve.exited;
  return `${serve.stdout}\n${serve.stderr}`;
}

test.each<[string, string, Record<string, unknown>]>([
  ['KDNET', KEY, { port: 50_000, key: KEY }],
  ['the text of -k', KEY, { k: `net:port=50000,key=${KEY},target=box` }],
  ['the command of kdnet.exe', KEY, { kdnet: `windbg -k net:port=50000,key=${KEY}` }],
  ['another debugger', PASSWORD, { remote: `npipe:server=box,pipe=kd,password=${PASSWORD}` }],
])(
  'over %s the secret is in no reply, no file, nothing on stderr',
  async (_transport, secret, start) => {
    const rig = await createRig();
    onTestFinished(() => rig.dispose());
    const said = await throughServe(rig, secret, start);
    expect(said).toContain('<redacted>');
    expect(partsOf(secret, said)).toEqual([]);
    const files = everythingIn(rig.home);
    expect(files).toMatch(/transcript\.log[\s\S]*URL: x-kd:open\?key%3D<redacted>/);
    expect(files).toContain('commands.jsonl');
    expect(partsOf(secret, files)).toEqual([]);
  },
  90_000,
);

test('a host that dies of an error with the key in it, and the words it leaves, do not have the key', async () => {
  const rig = await createRig();
  onTestFinished(() => rig.dispose());
  const boom = `process.on('SIGUSR2', () => { throw new Error('boom ' + ${JSON.stringify(all(KEY))}); });`;
  const folder = mkdtempSync(join(tmpdir(), 'kdt-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'boom.mjs');
  writeFileSync(file, boom);
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` };
  const agent = rig.sessions(AGENT, { program: { command: process.execPath, script: CLI, env } });
  const { session } = await agent.start(startOf(KEY));
  await session.breakIn(20_000);
  const closed = whenClosed(session);
  const { hostPid } = session.info;
  kill(hostPid, 'SIGUSR2');
  await closed;
  // It takes files away to its very end.
  await gone(hostPid);
  const files = everythingIn(rig.home);
  expect(files).toMatch(/uncaught exception: Error: boom/);
  expect(partsOf(KEY, files)).toEqual([]);
}, 60_000);

test('what a person sees, a secret typed later included, has no key: state, titles, errors, the stream', async () => {
  const rig = await createRig();
  onTestFinished(() => rig.dispose());
  const person = rig.sessions(PERSON);
  const { session } = await person.start(startOf(KEY));
  let seen = '';
  await session.follow(0, (piece) => {
    seen += JSON.stringify(piece);
  });
  session.onChange((info) => {
    seen += JSON.stringify(info);
  });
  await session.breakIn(20_000);
  for (const line of [...linesWith(KEY), `.server npipe:pipe=kd,password=${PASSWORD}`, `.echo ${PASSWORD}`]) {
    const reply = await session.command([line], { timeoutMs: 5_000 }).catch((error: Error) => error.message);
    seen += JSON.stringify(reply);
  }
  const asked = await session.command(['asks'], { timeoutMs: 5_000 });
  await whenInfo(session, ({ status }) => status.state === 'asking');
  seen += JSON.stringify([asked, session.info, await session.read({ maxBytes: 1_000_000 })]);
  seen += JSON.stringify([await person.list(), process.title]).replaceAll(/"token":"[0-9a-f]+"/g, '');
  const closed = whenClosed(session);
  seen += JSON.stringify(await session.stop('leave_frozen'));
  await closed;
  await gone(session.info.hostPid);
  seen += everythingIn(rig.home);
  expect(seen).toContain('<redacted>');
  for (const secret of [KEY, PASSWORD]) expect(partsOf(secret, seen)).toEqual([]);
}, 60_000);

function startOf(secret: string): StartOptions {
  const connection = { transport: 'net', port: 50_000, key: secret } as const;
  return { connection, kd: [process.execPath, debuggerOf(secret)] };
}
