import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STATE_SCHEMA } from '../../src/state-file/schema.ts';
import { CLI, createRig, endedRecord, KEY, kill, type Rig, until, whenInfo } from '../host/rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.dispose());

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `kd-mcp` to its end. */
function kdMcp(args: readonly string[], input = ''): Promise<Run> {
  return new Promise((resolve, reject) => {
    // No configuration of this machine.
    const env = { ...process.env, KD_MCP_CONFIG: join(rig.home, 'config.yaml') };
    const child = spawn(process.execPath, [CLI, ...args, '--home', rig.home], { env });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}

async function configure(yaml: string): Promise<void> {
  await writeFile(join(rig.home, 'config.yaml'), yaml);
}

describe('the command line', () => {
  beforeEach(() => configure(''));

  it('names what was probably meant by a wrong subcommand', async () => {
    const { code, stderr } = await kdMcp(['sesions']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Did you mean sessions?');
  });

  it('lists sessions, live and ended, and stops them', async () => {
    expect((await kdMcp(['sessions'])).stdout).toContain(`No session lives in ${rig.home}.`);
    const sessions = rig.sessions();
    const { session } = await sessions.start(rig.guest.start());
    await session.breakIn(20_000);
    await session.command(['.echo \u0020x'], { timeoutMs: 20_000 });

    const list = await kdMcp(['sessions']);
    expect(list.stdout).toMatch(
      new RegExp(`^${session.id} · broken \\(guest frozen .*, halted by agent test-agent`),
    );
    const json: unknown = JSON.parse((await kdMcp(['sessions', '--json'])).stdout);
    expect(json).toMatchObject({ live: [{ id: session.id, state: 'broken' }], ended: [] });
    expect(JSON.stringify(json)).not.toContain('token');

    const stopped = await kdMcp(['stop', session.id]);
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('guest: running') });
    expect(rig.guest.state()).toBe('running');
    await endedRecord(sessions, session.id);
    expect((await kdMcp(['log'])).stdout).toMatch(/ done .*\.echo \u0020x\n.* ended .* qd\n$/s);
    expect((await kdMcp(['sessions'])).stdout).toMatch(new RegExp(`${session.id} · ended .*guest: running`));
  });

  it('shows who sent what and what became of it, and all that was printed', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await session.breakIn(20_000);
    await session.command(['.echo \u0020x'], { timeoutMs: 20_000 });
    expect((await kdMcp(['log', session.id, '--transcript'])).stdout).toContain(
      'Microsoft (R) Windows Debugger',
    );
    expect(JSON.parse((await kdMcp(['log', '--json'])).stdout)).toMatchObject({
      seq: 1,
      outcome: 'done',
      effects: ['reads target'],
      verdict: 'allowed',
    });
    await expect(session.command(['.shell dir'], { timeoutMs: 20_000 })).rejects.toThrow();
    expect((await kdMcp(['log', session.id])).stdout).toMatch(
      /^# .*command\n1 .* agent test-agent .* done .* reads target .*\.echo \u0020x\n- .* REFUSED .* host program .*\.shell dir\n {6}Not sent: /,
    );
  });

  it('lowers what agents may do, and says where it is raised', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    expect((await kdMcp(['level', 'inspect'])).stdout).toBe(`${session.id}: agents' level inspect\n`);
    expect((await session.refresh()).level).toBe('inspect');
    expect((await kdMcp(['level', 'debug', session.id])).stderr).toMatch(
      /only lowered here.*Set Agent Level/,
    );
    expect((await kdMcp(['level', 'all'])).stderr).toContain('There are: inspect, debug, unrestricted.');
    expect((await session.refresh()).level).toBe('inspect');
  });

  it('attaches a person: piped lines are carried out in order, and leaving ends nothing', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await session.breakIn(20_000);
    const run = await kdMcp(['attach', session.id], '.echo one\n\n.echo two\nq\n.echo three\n');
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/\none\n[\s\S]*\ntwo\n[\s\S]*q is not sent from here[\s\S]*\nthree\n/);
    const info = await session.refresh();
    expect(info.status.state).toBe('broken');
    // A person typed: the halt is theirs now.
    expect(info.status.halt?.cause.kind).toBe('person');
    await kdMcp(['attach'], 'g\n');
    await whenInfo(session, ({ status }) => status.state === 'running');
  });

  it('says what is wrong when there is nothing to attach to', async () => {
    const { code, stderr } = await kdMcp(['attach', 'nosuch'], '');
    expect(code).toBe(1);
    expect(stderr).toMatch(/There is no session "nosuch"/);
  });

  it('has nothing to rescue when nothing is frozen', async () => {
    expect(await kdMcp(['rescue'])).toMatchObject({ code: 0, stdout: 'No guest is known to be frozen.\n' });
  });

  it.each([
    [
      'says which Node it needs when an older one runs it',
      CLI,
      1,
      /^kd-mcp needs Node 22 or newer; this is Node 20\.19\.0\./,
    ],
    ['runs on the Node of its checkout when an older one runs it', resolve('dist/cli.js'), 0, /^No session/],
  ])('%s', async (_what, program, code, words) => {
    const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.19.0"})';
    const child = spawn(process.execPath, ['--import', older, program, 'sessions', '--home', rig.home]);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(code);
    expect(said).toMatch(words);
  });

  it.each([
    ['sessions', ['sessions']],
    ['doctor', ['doctor']],
    ['log', ['log']],
    ['the list of scenarios', ['simulate', '--list-scenarios']],
    ['the demo', ['demo']],
  ])('ends quietly when nobody reads %s any more, and leaves nothing behind', async (_what, args) => {
    if (args[0] === 'log') await (await rig.sessions().start(rig.guest.start())).session.stop('resume');
    const temporary = { TMPDIR: rig.home, TEMP: rig.home, TMP: rig.home };
    const env = { ...process.env, ...temporary, KD_MCP_HOME: rig.home };
    const child = spawn(process.execPath, [CLI, ...args], { env });
    child.stdout.destroy();
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ said, code }).toEqual({ said: '', code: 0 });
    expect(readdirSync(rig.home).filter((name) => name.startsWith('kd-mcp-demo'))).toEqual([]);
    expect(await rig.sessions().list()).toEqual([]);
  });

  it('runs the simulator', async () => {
    const { code, stdout } = await kdMcp(['simulate', '--list-scenarios']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^idle /);
    const wrong = await kdMcp(['simulate', '--scenario', 'nope']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toMatch(/^There is no scenario 'nope'\. Scenarios: idle, /);
  });
});

/** `kd-mcp attach` in a terminal of its own, which `script` makes. */
function terminal(): {
  type(text: string): void;
  /** Waits, and gives what came to the screen since the last time. */
  shows(pattern: RegExp): Promise<string>;
  ended: Promise<void>;
} {
  const words = [process.execPath, CLI, 'attach', '--home', rig.home].map((word) => `'${word}'`);
  const child = spawn('script', ['-qfec', words.join(' '), '/dev/null'], {
    env: { ...process.env, TERM: 'xterm' },
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  return {
    type: (text) => child.stdin.write(text),
    shows: async (pattern) => {
      await until(`the terminal shows ${pattern}`, () => pattern.test(screen)).catch((error: unknown) => {
        throw new Error(`It shows ${JSON.stringify(screen)}`, { cause: error });
      });
      const shown = screen;
      screen = '';
      return shown;
    },
    ended: new Promise((resolve) => child.once('close', () => resolve())),
  };
}
/** readline puts the cursor behind it. */
const PROMPT = /kd> (\u001b\[\d+G)?$/;
const hasScript = spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasScript)('attach on a terminal (needs the program script)', () => {
  it('breaks in by Ctrl+C, runs what is typed, and leaves by Ctrl+D; the session goes on', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await whenInfo(session, ({ status }) => status.linked);
    const person = terminal();
    await person.shows(/\[(waiting|running)\]/);
    person.type('\u0003');
    await person.shows(PROMPT);
    const { status } = await session.refresh();
    expect(status.halt?.cause.kind).toBe('person');
    person.type('.echo hello\r');
    await person.shows(/[\nK]hello\r\n/);
    person.type('\u0004');
    await person.ended;
    expect((await session.refresh()).status.state).toBe('broken');
  });

  it("says in a person's words why a line is not sent, and shows the next ones once", async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await whenInfo(session, ({ status }) => status.linked);
    const person = terminal();
    await person.shows(/Ctrl\+D leaves.*\[(waiting|running)\]/s);
    person.type('r\r');
    await person.shows(/kd reads no command\. Ctrl\+C breaks in/);
    person.type('\u0003');
    await person.shows(PROMPT);
    person.type('.echo once\r');
    const shown = await person.shows(/[\nK]once\r\n/);
    expect(shown.match(/\.echo once/g)).toHaveLength(1);
    person.type('g\r');
    await person.shows(/\[running\]/);
    person.type('r\r');
    await person.shows(/The target runs and kd reads no command\. Ctrl\+C breaks in/);
    person.type('\u0004');
    await person.ended;
  });

  it('asks what becomes of the guest before q ends the session', async () => {
    const { session } = await rig.sessions().start(rig.guest.start());
    await session.breakIn(20_000);
    const person = terminal();
    await person.shows(PROMPT);
    person.type('q\r');
    await person.shows(/End the session for everybody\?/);
    person.type('f\r');
    await person.ended;
    expect((await endedRecord(rig.sessions(), session.id)).ended?.guest).toBe('frozen');
    expect(rig.guest.state()).toBe('frozen');
  });
});

describe('rescue', () => {
  async function killedHost(stateFile?: string): Promise<string> {
    const sessions = rig.sessions();
    const { session } = await sessions.start({ ...rig.guest.start(), ...(stateFile && { stateFile }) });
    await session.breakIn(20_000);
    await until('the record says broken', async () => (await sessions.list())[0]?.halt !== undefined);
    kill(session.info.hostPid);
    await endedRecord(sessions, session.id);
    return session.id;
  }
  async function stateFile(): Promise<string> {
    const path = join(rig.home, 'state.json');
    const state = { schema: STATE_SCHEMA, guest_host: '10.0.0.2', host_ip: '10.0.0.1' };
    await writeFile(path, JSON.stringify({ ...state, port: rig.guest.port, key: KEY }));
    return path;
  }

  it('frees the guest of a session whose host was killed', async () => {
    const id = await killedHost(await stateFile());
    const { code, stdout } = await kdMcp(['rescue']);
    expect(stdout).toBe(`The guest of session ${id} was frozen and runs again.\n`);
    expect(code).toBe(0);
    expect(rig.guest.state()).toBe('running');
  });

  it('names the session that has taken over such a guest', async () => {
    const id = await killedHost();
    await rig.sessions().start(rig.guest.start());
    const { code, stdout } = await kdMcp(['rescue']);
    expect(stdout).toMatch(
      new RegExp(`^No guest is known.*\\n${id} \\(\\w+\\) has taken over.*attach ${id}\\n$`),
    );
    expect(code).toBe(0);
  });

  it('asks for the key when it is not known, and takes it from a state file that is named', async () => {
    const id = await killedHost();
    const asked = await kdMcp(['rescue']);
    expect(asked).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/may be frozen.*key.*\n.*--state-file/),
    });
    expect(rig.guest.state()).toBe('frozen');
    const { code, stdout } = await kdMcp(['rescue', id, '--state-file', await stateFile()]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('runs again') });
    expect(rig.guest.state()).toBe('running');
  });
});

describe('doctor', () => {
  it('checks each part and says what to do', async () => {
    const state = {
      schema: 'winrm-kd-session-v1',
      guest_host: '10.0.0.5',
      host_ip: '10.0.0.1',
      port: rig.guest.port,
      key: '1.2.3.4',
    };
    const path = join(rig.home, 'state.json');
    await writeFile(path, JSON.stringify(state));
    await configure(
      `kd:\n  kd_exe: ${JSON.stringify(process.execPath)}\n  state_file: ${JSON.stringify(path)}\n  server_port: 50055\n`,
    );
    const { code, stdout } = await kdMcp(['doctor']);
    expect(stdout).toMatch(/warning {2}configuration: .*config\.yaml\n.*server_port/);
    expect(stdout).toContain(`ok       kd.exe: ${process.execPath}`);
    expect(stdout).toContain('guest 10.0.0.5');
    expect(stdout).toContain(`UDP port ${rig.guest.port} is free.`);
    expect(stdout).not.toContain('1.2.3.4');
    expect(code).toBe(0);
  });

  it('fails with a wrong configuration, and names file, key and what was expected', async () => {
    await configure('kd:\n  default_port: many\n');
    const { code, stdout } = await kdMcp(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/PROBLEM {2}configuration: .*config\.yaml.*default_port: expected an integer/);
  });
});
