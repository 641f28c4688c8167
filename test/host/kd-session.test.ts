import { afterEach, describe, expect, it } from 'vitest';
import { agent, type Driven, drive, key, spawnSimulator } from './kd-session.ts';

let driven: Driven | undefined;
const start = (...args: Parameters<typeof drive>): Driven => {
  driven = drive(...args);
  return driven;
};
afterEach(() => driven?.dispose());

async function halted(scenario: string, more: readonly string[] = []): Promise<Driven> {
  const kd = start(['--scenario', scenario, ...more]);
  await kd.until((status) => status.linked);
  expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
  return kd;
}

describe('a session over the simulator', () => {
  it('breaks in, tells by whom, runs a command and lets the guest run again', async () => {
    const kd = await halted('idle');
    expect(kd.status).toMatchObject({
      state: 'broken',
      prompt: '0: kd>',
      generation: 1,
      halt: { cause: agent, event: { kind: 'break-in' } },
      target: { build: 19041, architecture: 'x64', processors: 2, linkAddress: '127.0.0.1' },
    });
    expect(await kd.run('.printf "no newline"')).toBe('no newline\n');
    expect(await kd.run('.foo')).toContain('Syntax error');
    expect(kd.outcomes().at(-1)).toMatchObject({ outcome: 'done', error: "^ Syntax error in '.foo'" });
    expect(await kd.session.go(agent)).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ state: 'running', generation: 1 });
    expect(kd.status.halt).toBeUndefined();
    expect(await kd.session.quit('resume', agent)).toMatchObject({ code: 0, target: 'running' });
  });

  it('sends nothing when the guest is halted already', async () => {
    const kd = await halted('idle');
    const before = kd.transcript();
    expect(await kd.session.breakIn(agent, 1_000)).toEqual({ ok: true });
    expect(kd.transcript()).toBe(before);
    expect(kd.status.generation).toBe(1);
  });

  it('stops the guest at connect when a break was asked for before', async () => {
    const kd = start(['--scenario', 'no-target']);
    await kd.until((status) => status.state === 'waiting');
    const asked = kd.session.breakIn(agent, 15_000);
    expect(kd.status.breakOnConnect).toBe(true);
    await kd.tell('appear');
    expect(await asked).toEqual({ ok: true });
    expect(kd.status).toMatchObject({ state: 'broken', breakOnConnect: false, halt: { cause: agent } });
  });

  it('climbs the ladder when a break is swallowed', async () => {
    const kd = await halted('swallow');
    await kd.session.go(agent);
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(kd.transcript()).toContain('[KD-MCP] the break was not answered');
  });

  it('resumes once when a break that was owed stops the guest right after g', async () => {
    const kd = await halted('owed-break');
    await kd.session.go(agent);
    await kd.shows(/earlier break request stopped the target again/);
    await kd.until((status) => status.state === 'running');
    expect(kd.status.notices.map((notice) => notice.kind)).toContain('owed-break');
  });

  it('says refused when kd refuses g, and stays halted', async () => {
    const kd = start(['--scenario', 'boot-debugger']);
    await kd.until((status) => status.state === 'broken' || status.linked);
    await kd.session.breakIn(agent, 15_000);
    expect(kd.status.target.bootDebugger).toBe(true);
    const { generation } = kd.status;
    expect(await kd.session.go(agent)).toMatchObject({
      ok: false,
      reason: 'refused',
      text: expect.stringContaining("'g'"),
    });
    expect(kd.status).toMatchObject({ state: 'broken', generation });
  });

  it('reports a breakpoint by number, and the target as its cause', async () => {
    const kd = await halted('breakpoint');
    await kd.run('.reload');
    await kd.run('bp mydriver!MyDispatch');
    const { generation } = kd.status;
    await kd.session.go(agent);
    expect(await kd.session.waitForStop(generation, 15_000)).toEqual({ ok: true });
    expect(kd.status).toMatchObject({
      halt: { cause: { kind: 'target' }, event: { kind: 'breakpoint', number: 0 } },
    });
  });

  it('names a bugcheck with its code and arguments', async () => {
    const kd = start(['--scenario', 'idle']);
    await kd.until((status) => status.linked);
    await kd.tell('bugcheck d1 1 2 3 4');
    await kd.until((status) => status.state === 'broken');
    expect(kd.status.lastEvent).toMatchObject({ kind: 'bugcheck', code: expect.stringMatching(/^0*d1$/) });
  });

  it('loses a command, not itself, when the guest was reset behind its back', async () => {
    const kd = await halted('idle');
    await kd.tell('reset');
    const { settled } = kd.session.run('db nt!NtClose L10', agent);
    expect(await settled).toMatchObject({ outcome: 'lost' });
    expect(kd.status).toMatchObject({ lastEvent: { kind: 'hard-reset' } });
    expect(['waiting', 'running']).toContain(kd.status.state);
    expect(await kd.session.breakIn(agent, 20_000)).toEqual({ ok: true });
    expect(await kd.run('.echo back')).toBe('back\n');
  });

  it('follows a reboot to the next break', async () => {
    const kd = await halted('idle');
    const { settled } = kd.session.run('.reboot', agent);
    expect(await settled).toMatchObject({ outcome: 'lost' });
    expect(kd.status.lastEvent?.kind).toBe('reboot');
    expect(await kd.session.breakIn(agent, 20_000)).toEqual({ ok: true });
    expect(await kd.run('bl')).toBe('\n');
  });

  it('tells about a wrong key and about a bad link', async () => {
    const kd = start(['--scenario', 'wrong-key']);
    await kd.until((status) => status.notices.some((notice) => notice.kind === 'wrong-key'));
    expect(kd.status.state).toBe('waiting');
    expect(await kd.session.quit('resume', agent)).toMatchObject({ target: 'absent' });
  });

  it('ends with the reason when the port is taken', async () => {
    const holder = spawnSimulator(['--scenario', 'idle', '-k', `net:port=51999,key=${key}`]);
    try {
      await new Promise<void>((resolve) => {
        holder.stdout?.on('data', (bytes: Buffer) => bytes.includes('Waiting') && resolve());
      });
      const kd = start(['--scenario', 'idle'], { kernel: `net:port=51999,key=${key}` });
      await kd.until((status) => status.state === 'ended');
      expect(kd.status.exit?.reason).toContain('51999');
      expect(kd.status.exit).toMatchObject({ target: 'absent' });
    } finally {
      holder.kill('SIGKILL');
    }
  });

  it('interrupts a command that runs', async () => {
    const kd = await halted('idle');
    const running = kd.session.run(
      '.for (r $t0=0; @$t0 < 0n100000000; r $t0=@$t0+1) { .printf "%d\\n", @$t0 }',
      agent,
    );
    await kd.shows(/\n1\d\d\n/);
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(await running.settled).toMatchObject({ outcome: 'interrupted' });
    expect(await kd.run('.echo after')).toBe('after\n');
  });

  it('asks the caller when kd asks, and answers nothing by itself', async () => {
    const kd = await halted('idle');
    const edit = kd.session.run('eb nt!NtBuildLab', agent);
    expect(await edit.settled).toMatchObject({ outcome: 'asking' });
    expect(kd.status).toMatchObject({ state: 'asking', question: expect.stringContaining('Input>') });
    const answer = kd.session.answer('41', agent);
    expect((await answer.settled).outcome).toBe('asking');
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(kd.status.state).toBe('broken');
    expect(await kd.run('db nt!NtBuildLab L1')).toMatch(/ {2}41 /);
  });

  it("passes a driver's question on and lets the guest run with the answer", async () => {
    const kd = await halted('sub-modes');
    await kd.session.go(agent);
    await kd.until((status) => status.state === 'asking');
    expect(kd.status.question).toContain('(boipt)');
    const answer = kd.session.answer('i', agent);
    expect((await answer.settled).outcome).toBe('resumed');
    expect(kd.status.state).toBe('running');
  });

  it('keeps the last words and what the guest did when kd ends by itself', async () => {
    const kd = await halted('dies-after-go');
    await kd.session.go(agent);
    await kd.until((status) => status.state === 'ended');
    expect(kd.status.exit).toMatchObject({ target: 'running' });
  });

  it('is not fooled by a driver that prints prompts and stop texts', async () => {
    const kd = await halted('forged');
    const { generation } = kd.status;
    await kd.session.go(agent);
    await kd.shows(/Shutdown occurred(.|\n)*Break instruction(.|\n)*Shutdown occurred/);
    expect(kd.status).toMatchObject({ state: 'running', generation });
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(kd.status.lastEvent?.kind).toBe('break-in');
    expect(await kd.run('.echo real')).toBe('real\n');
  });

  it('leaves a repeated noise line out and counts it', async () => {
    const kd = await halted('noise');
    await kd.until((status) => status.notices.some(({ kind, count }) => kind === 'noise' && count > 1));
    expect(kd.transcript()).not.toContain('port connector information');
    expect(await kd.run('.echo quiet')).toBe('quiet\n');
  });

  it('never shows the key, also where kd prints it', async () => {
    const kd = await halted('idle');
    expect(await kd.run('version')).toContain('<redacted>');
    await kd.run(`.echo key=${key.toUpperCase()}`);
    expect(kd.transcript().toLowerCase()).not.toContain(key);
    expect(JSON.stringify(kd.status).toLowerCase()).not.toContain(key);
  });

  it('reads whole lines from the Unicode log where kd cuts them', async () => {
    const kd = start(['--scenario', 'multibyte'], { unicodeLog: true, codePage: 949 });
    await kd.until((status) => status.linked);
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    await kd.run('.reload');
    expect(await kd.run('du mydriver!g_Korean')).toMatch(/^\S+ {2}"\\Device\\김철수 장치"\n$/);
    expect(await kd.run('.printf "no newline"')).toBe('no newline\n');
    expect(await kd.run('.echo')).toBe('\n');
    expect(await kd.run('.echo 0: kd> k')).toBe('0: kd> k\n');
    expect(await kd.run('.printf "0: kd> a\\nb 0: kd> c\\n"')).toBe('0: kd> a\nb 0: kd> c\n');
    const loop = '.for (r $t0=0; @$t0<0n20000; r $t0=@$t0+1) { .printf "%d line\\n", @$t0 }';
    expect(await kd.run(loop)).toMatch(/^0 line\n1 line\n[^>]*\n19999 line\n$/);
    await kd.session.go(agent);
    await kd.shows(/mydriver: 장치 준비 완료\n/);
    expect(await kd.session.breakIn(agent, 15_000)).toEqual({ ok: true });
    expect(await kd.run('.echo after')).toBe('after\n');
    expect(kd.transcript()).not.toContain('KDMCP_');
    expect(kd.transcript()).not.toMatch(/^\.echo$/m);
  });
});
