import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionError } from '../../src/client/sessions.ts';
import { FakeSession } from './fake-sessions.ts';
import { DEFAULTS, ToolCaller } from './tool-caller.ts';

const KEY = '1a2b3c4d5e6f7.8g9h0i1j2k3l4.5m6n7o8p9q0r1.2s3t4u5v6w7x8';
let tools: ToolCaller;
let folder: string;
beforeEach(async () => {
  tools = new ToolCaller();
  folder = await mkdtemp(join(tmpdir(), 'kd-mcp-start-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function stateFile(): Promise<string> {
  const path = join(folder, 'kd session (1).json');
  const state = {
    schema: 'winrm-kd-session-v1',
    guest_host: '10.0.0.5',
    host_ip: '10.0.0.1',
    port: 50005,
    key: KEY,
  };
  await writeFile(path, JSON.stringify(state));
  return path;
}

describe('start_from_state', () => {
  it('starts what the state file describes, without target=, and remembers where WinRM lives', async () => {
    const path = await stateFile();
    const text = await tools.ok('start_from_state', { state_file: path });
    expect(tools.sessions.started).toEqual([
      {
        connection: { transport: 'net', port: 50005, key: KEY },
        guestHost: '10.0.0.5',
        stateFile: path,
        breakOnConnect: false,
      },
    ]);
    expect(text).toMatch(/^net-50000 · running[\s\S]*started session net-50000[\s\S]*Next: break_in/);
    expect(text).not.toContain(KEY);
  });

  it('says which path is missing, who writes it and that both servers need the same', async () => {
    const path = join(folder, 'missing.json');
    const text = await tools.error('start_from_state', { state_file: path });
    expect(text).toContain(path);
    expect(text).toMatch(/configure_kdnet\(\).*same path/);
  });

  it('takes the path as a configuration does', async () => {
    const path = await stateFile();
    process.env.KD_TEST_FOLDER = folder;
    await tools.ok('start_from_state', { state_file: join('%KD_TEST_FOLDER%', basename(path)) });
    expect(tools.sessions.started.at(-1)?.stateFile).toBe(path);
    delete process.env.KD_TEST_FOLDER;
    expect(await tools.error('start_from_state', { state_file: '%KD_TEST_FOLDER%/x' })).toMatch(
      /state_file: the environment variable KD_TEST_FOLDER is not set\./,
    );
    expect(await tools.error('start_from_state', { state_file: 'nowhere.json' })).toContain(
      join(process.cwd(), 'nowhere.json'),
    );
  });

  it('does not open a state file on another machine, which would sign in there, unless it is configured', async () => {
    for (const path of ['\\\\evil\\share\\kd.json', '//evil/share/kd.json']) {
      expect(await tools.error('start_from_state', { state_file: path })).toMatch(
        /another machine.*Next: ask the person to set kd\.state_file/,
      );
    }
  });

  it('joins what runs already', async () => {
    const path = await stateFile();
    tools.sessions.add(new FakeSession('net-50000', 'running'));
    expect(await tools.ok('start_from_state', { state_file: path })).toContain(
      'joined the session that already runs',
    );
  });

  it('says when what runs has another key, and what to do if it hears nothing', async () => {
    const path = await stateFile();
    const session = tools.sessions.add(new FakeSession('net-50005', 'running'));
    tools.sessions.onStart = () => session;
    tools.sessions.otherKey = true;
    expect(await tools.ok('start_from_state', { state_file: path })).toMatch(
      /another key.*the key of this call is not used[\s\S]*Next: break_in/,
    );
    session.become('waiting', { linked: false, since: 0 });
    expect(await tools.ok('start_from_state', { state_file: path })).toMatch(
      /another key.*will not hear[\s\S]*Next: stop_kd\(session_id="net-50005"\), then start again\.$/,
    );
  });

  it('waits until the link is known, and tells progress', async () => {
    const path = await stateFile();
    const session = new FakeSession('net-50005', 'starting');
    tools.sessions.onStart = () => session;
    const call = tools.ok('start_from_state', { state_file: path });
    await expect.poll(() => tools.progress.at(-1)).toMatch(/^net-50005 · starting/);
    session.become('waiting');
    session.become('waiting', { linked: true });
    expect(await call).toMatch(/^net-50005 · waiting for the target \(link is up/);
  });

  it('with break_on_connect waits for the stop', async () => {
    const path = await stateFile();
    const session = new FakeSession('net-50005', 'waiting');
    tools.sessions.onStart = () => session;
    const call = tools.ok('start_from_state', { state_file: path, break_on_connect: true });
    await expect.poll(() => tools.progress.length).toBeGreaterThan(1);
    session.become('broken');
    expect(await call).toMatch(/^net-50005 · broken[\s\S]*The guest is frozen/);
    expect(tools.sessions.started[0]?.breakOnConnect).toBe(true);
  });

  it('says what to look at when the guest is not heard of', async () => {
    const path = await stateFile();
    tools.sessions.onStart = () => new FakeSession('net-50005', 'waiting');
    expect(await tools.ok('start_from_state', { state_file: path, wait_sec: 0 })).toMatch(
      /no link yet[\s\S]*has not been heard of[\s\S]*health_check/,
    );
  });

  it('is an error with the words of kd when kd ends', async () => {
    const path = await stateFile();
    tools.sessions.onStart = () => {
      const session = new FakeSession('net-50005', 'starting');
      session.print('Failed to initialize IPv4 socket.  Error 0n-2147467259\n');
      session.become('ended');
      return session;
    };
    const text = await tools.error('start_from_state', { state_file: path });
    expect(text).toMatch(/^net-50005 · not started: kd ended[\s\S]*Failed to initialize IPv4 socket/);
  });

  it('passes on why a session could not be started', async () => {
    tools.sessions.onStart = () => {
      throw new SessionError('kd.exe was not found.');
    };
    expect(await tools.error('start_from_state', { state_file: await stateFile() })).toContain(
      'kd.exe was not found.',
    );
  });
});

describe('start_kd', () => {
  const started = async (args: unknown): Promise<unknown> => {
    await tools.ok('start_kd', args);
    return tools.sessions.started.at(-1)?.connection;
  };

  it('takes the arguments of the predecessor', async () => {
    const net = { transport: 'net', port: 50001, key: KEY, target: '10.0.0.5' };
    expect(await started({ port: 50001, key: KEY, target: '10.0.0.5' })).toEqual(net);
    expect(await started({ port: '50001', key: KEY, target: '10.0.0.5', kdnet: null })).toEqual(net);
    expect(await started({ kdnet: `net:port=50001,key=${KEY},target=10.0.0.5` })).toEqual(net);
  });

  it('takes every other transport with flat arguments', async () => {
    expect(await started({ com_port: 'COM3', baud: 115200 })).toEqual({
      transport: 'com',
      port: 'COM3',
      baud: 115200,
    });
    expect(await started({ pipe: '\\\\.\\pipe\\com_1' })).toMatchObject({
      transport: 'pipe',
      pipe: '\\\\.\\pipe\\com_1',
    });
    expect(await started({ host: '10.0.0.9', port: 5000 })).toEqual({
      transport: 'tcp',
      host: '10.0.0.9',
      port: 5000,
    });
    expect(await started({ target_name: 'box' })).toEqual({ transport: 'usb', targetName: 'box' });
    expect(await started({ transport: 'local' })).toEqual({ transport: 'local' });
    expect(await started({ dump_file: 'C:\\MEMORY.DMP' })).toEqual({
      transport: 'dump',
      files: ['C:\\MEMORY.DMP'],
    });
    expect(await started({ transport: 'remote', remote: 'npipe:server=x,pipe=y' })).toMatchObject({
      transport: 'remote',
    });
    expect(await started({ k: 'com:port=COM1,baud=115200' })).toMatchObject({ transport: 'raw' });
    expect(await started({ transport: 'simulator' })).toEqual({ transport: 'simulator', scenario: 'idle' });
  });

  it('takes what people paste', async () => {
    const pasted = `Enabling network debugging on Network debugging is supported by this Microsoft Hypervisor Virtual Machine.\nwindbg -k net:port=50000,key=${KEY}\n`;
    expect(await started({ kdnet: pasted })).toEqual({ transport: 'net', port: 50000, key: KEY });
  });

  it('fills in the defaults of the configuration', async () => {
    const kd = {
      ...DEFAULTS.kd,
      default_port: 50039,
      default_key: KEY,
      default_target: '10.0.0.7',
      symbol_path: 'srv*',
    };
    tools.context = { ...tools.context, config: { ...DEFAULTS, kd } };
    expect(await started({})).toEqual({ transport: 'net', port: 50039, key: KEY, target: '10.0.0.7' });
    expect(tools.sessions.started[0]?.symbolPath).toBe('srv*');
  });

  it('refuses what kd would take in silence', async () => {
    const wrong: readonly [unknown, RegExp][] = [
      [{}, /needs key/],
      [{ port: 50000, key: 'short' }, /key/],
      [{ port: 80, key: KEY }, /port 80 is no port for KDNET/],
      [{ kdnet: 'hello' }, /kdnet: No connection in this text/],
      [{ com_port: 'LPT1' }, /no COM port/],
      [{ com_port: 'COM1', dump_file: 'x' }, /dump_file does not belong to transport com/],
      [{ transport: 'usb' }, /transport usb needs target_name/],
      [{ transport: 'warp' }, /transport: expected one of net \|/],
    ];
    for (const [args, reason] of wrong) expect(await tools.error('start_kd', args)).toMatch(reason);
    expect(tools.sessions.started).toEqual([]);
  });
});
