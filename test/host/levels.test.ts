/** What agents may do, with a real session host and a real debugger process. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/client/sessions.ts';
import { type Limits, NO_LISTS } from '../../src/host/protocol.ts';
import { liveRecord } from '../../src/host/records.ts';
import { AGENT, createRig, KEY, kill, PERSON, type Rig, until } from './rig.ts';
import { call, initialize, Serve } from './serve-process.ts';

let rig: Rig;
const serves: Serve[] = [];
beforeEach(async () => {
  rig = await createRig();
});
afterEach(async () => {
  for (const serve of serves.splice(0)) {
    serve.child.stdin.end();
    await serve.exited;
  }
  await rig.dispose();
});

const limits = (level: Limits['level'], security = NO_LISTS): Limits => ({ level, security });

/** A session of an agent, halted. */
async function halted(own?: Limits): Promise<Session> {
  const options = own === undefined ? {} : { limits: own };
  const { session } = await rig.sessions(AGENT, options).start(rig.guest.start());
  await session.breakIn(10_000);
  return session;
}

const run = (session: Session, line: string, answer = false) =>
  session.command([line], { timeoutMs: 10_000, ...(answer ? { answer } : {}) });

const index = (session: Session) =>
  readFileSync(join(dirname(session.info.transcriptPath), 'commands.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));

describe('the level of a session', () => {
  test('is debug without a configuration: the guest is the agent’s to change, the host is not', async () => {
    const session = await halted();
    expect(session.info.level).toBe('debug');
    expect((await run(session, 'eb @rsp 90')).results[0]).toMatchObject({
      outcome: 'done',
      effects: ['writes target'],
    });
    await expect(run(session, '.shell dir')).rejects.toThrow(/runs a program on the host.*unrestricted/);
  });

  test('comes with the start: at inspect an agent reads, at unrestricted kd’s own -noshell is left', async () => {
    const session = await halted(limits('inspect'));
    await expect(run(session, 'eb @rsp 90')).rejects.toThrow(/at level "debug"; the level is "inspect"/);
    expect((await run(session, 'r')).results[0]?.outcome).toBe('done');
    const person = await rig.sessions(PERSON).open(session.id);
    expect((await run(person, 'eb @rsp 90')).results[0]?.outcome).toBe('done');
  });

  test('is lowered by anyone and raised by a person only, for everybody, in record and transcript', async () => {
    const session = await halted();
    await session.setLevel('inspect');
    await expect(session.setLevel('debug')).rejects.toThrow(/Only a person.*KD: Set Agent Level/);
    await expect(run(session, 'eb @rsp 90')).rejects.toThrow('writes to the target');
    const person = await rig.sessions(PERSON).open(session.id);
    await person.setLevel('unrestricted');
    await until('the agent hears of it', () => session.info.level === 'unrestricted');
    expect((await run(session, 'as x r')).results[0]?.outcome).toBe('done');
    await until('the record says so', () => liveRecord(rig.home, session.id)?.level === 'unrestricted');
    await session.setLevel('debug');
    const { text } = await session.read({ from: 0, maxBytes: 100_000 });
    expect(text).toContain('from unrestricted to debug. What was set up before stays: aliases');
    expect(text).toContain('[KD-MCP] test-agent set the level of agents from debug to inspect.');
    expect(text).toContain(
      '[KD-MCP] Minsu set the level of agents from inspect to unrestricted. kd was started with -noshell: .shell stays off.',
    );
  });

  test('stays with the session when its clients go and come back', async () => {
    const session = await halted();
    await session.setLevel('inspect');
    session.dispose();
    const again = await rig.sessions(AGENT, { limits: limits('unrestricted') }).open(session.id);
    expect(again.info.level).toBe('inspect');
    await expect(run(again, 'eb @rsp 90')).rejects.toThrow('writes to the target');
  });

  test('stays when its host starts over because kd went', async () => {
    const agent = rig.sessions(AGENT, { orphanGraceSec: 60 });
    const { session } = await agent.start(rig.guest.start());
    await session.breakIn(20_000);
    await session.setLevel('inspect');
    const { id } = session;
    const { kdPid } = session.info;
    agent.dispose();
    await until('nobody is there', async () => {
      const look = rig.sessions(PERSON);
      const alone = (await look.open(id)).info.clients.length === 1;
      look.dispose();
      return alone;
    });
    kill(kdPid ?? 0);
    await until(
      'the host has another kd',
      () => ![undefined, kdPid].includes(liveRecord(rig.home, id)?.kdPid),
    );
    expect(liveRecord(rig.home, id)?.level).toBe('inspect');
    expect((await rig.sessions().open(id)).info.level).toBe('inspect');
  });

  test('is lower for an agent whose own configuration says so', async () => {
    const session = await halted();
    const careful = await rig.sessions(AGENT, { limits: limits('inspect') }).open(session.id);
    await expect(run(careful, 'eb @rsp 90')).rejects.toThrow('the level is "inspect"');
    expect((await run(session, 'eb @rsp 90')).results[0]?.outcome).toBe('done');
  });
});

test('prefixes and patterns of the configuration are the host’s to enforce', async () => {
  const session = await halted(
    limits('debug', { allowed_command_prefixes: ['r', 'k', 'eb'], denied_patterns: ['/@rsp/'] }),
  );
  await expect(run(session, 'lm')).rejects.toThrow('allowed_command_prefixes');
  await expect(run(session, 'eb @rsp 90')).rejects.toThrow('denied_patterns');
  expect((await run(session, 'r')).results[0]?.outcome).toBe('done');
});

test('the index tells of every line, those that were refused too, and of no secret', async () => {
  const session = await halted();
  const person = await rig.sessions(PERSON).open(session.id);
  await run(session, 'r');
  await run(person, '.echo hello');
  await expect(run(session, `.shell echo ${KEY}`)).rejects.toThrow('runs a program');
  expect(index(session)).toEqual([
    expect.objectContaining({
      text: 'r',
      by: AGENT,
      effects: ['reads target'],
      verdict: 'allowed',
      outcome: 'done',
    }),
    expect.objectContaining({ text: '.echo hello', by: PERSON, verdict: 'allowed', outcome: 'done' }),
    expect.objectContaining({
      seq: 0,
      by: AGENT,
      effects: ['host program'],
      verdict: 'refused',
      outcome: 'refused',
    }),
  ]);
  expect(JSON.stringify(index(session))).not.toContain(KEY);
});

test('an agent answers a question of kd with values, not with commands that would harm', async () => {
  const session = await halted();
  expect((await run(session, 'eb nt!NtBuildLab')).results[0]?.outcome).toBe('asking');
  await expect(run(session, '.shell calc', true)).rejects.toThrow('runs a program');
  await session.setLevel('inspect');
  await expect(run(session, '41', true)).rejects.toThrow('writes to the target');
  const person = await rig.sessions(PERSON).open(session.id);
  expect((await run(person, '41', true)).results).toHaveLength(1);
});

test('serve gives its configuration’s level to the session, and it outlives that serve', async () => {
  const env = { ...process.env, KD_MCP_SECURITY_LEVEL: 'inspect', KD_MCP_HOME: rig.home };
  const serve = (more: NodeJS.ProcessEnv) => {
    const started = new Serve([], { ...env, ...more });
    serves.push(started);
    return started.send(initialize, { jsonrpc: '2.0', method: 'notifications/initialized' });
  };
  const text = async (from: Serve, id: number) => JSON.stringify(await from.answer(id));
  const first = serve({});
  await first.answer(1);
  first.send(call(2, 'start_kd', { scenario: 'idle', break_on_connect: true }));
  expect(await text(first, 2)).toContain("agents' level inspect");
  first.child.stdin.end();
  await first.exited;
  const second = serve({ KD_MCP_SECURITY_LEVEL: 'debug' });
  await second.answer(1);
  second.send(
    call(2, 'list_sessions'),
    call(3, 'kd_command', { command: 'eb @rsp 90', if_running: 'break_and_resume' }),
  );
  expect(await text(second, 2)).toContain("agents' level inspect");
  expect(await text(second, 3)).toMatch(/writes to the target.*the level is .*inspect/);
});
