import { beforeEach, describe, expect, it } from 'vitest';
import { FakeSession } from './fake-sessions.ts';
import { ToolCaller } from './tool-caller.ts';

let tools: ToolCaller;
let session: FakeSession;
beforeEach(() => {
  tools = new ToolCaller();
  session = tools.sessions.add(new FakeSession('net-50000', 'running'));
});

describe('break_in', () => {
  it('stops a running target and shows what kd printed', async () => {
    const text = await tools.ok('break_in');
    expect(text).toMatch(/^net-50000 · broken .*\nstopped: break-in\n[\s\S]*Break instruction exception/);
    expect(session.sent).toEqual(['break']);
  });

  it('sends nothing to a halted target and says who halted it', async () => {
    session.become('broken');
    const text = await tools.ok('break_in');
    expect(text).toMatch(/guest frozen .*, halted by agent test\)[\s\S]*already halted: nothing was sent/);
    expect(session.sent).toEqual([]);
  });

  it('interrupts a command', async () => {
    session.become('busy');
    expect(await tools.ok('break_in')).toContain('the running command was interrupted');
  });

  it('while no target is there says that the break is kept', async () => {
    session.become('waiting');
    const text = await tools.ok('break_in');
    expect(text).toMatch(/will break in when it connects/);
    expect(text).toMatch(/Next: wait_for_break/);
  });

  it('does not claim a stop that was not seen', async () => {
    session.become('breaking');
    const text = await tools.ok('break_in', { timeout_sec: 0 });
    expect(text).toMatch(/^net-50000 · breaking/);
    expect(text).toContain('no stop seen: the target hangs or the link is down');
  });
});

describe('continue_go', () => {
  it('says how long the guest was frozen', async () => {
    session.become('broken');
    expect(await tools.ok('continue_go', { wait_sec: '0' })).toMatch(
      /^net-50000 · running[\s\S]*had been frozen for [\d.]+ s/,
    );
  });

  it('is an error that quotes kd when kd refuses', async () => {
    session.become('broken');
    session.go = async () => ({
      outcome: 'refused',
      error: "^ Unable to get program counter 'g'",
      from: 0,
      to: 0,
      info: session.info,
    });
    const text = await tools.error('continue_go');
    expect(text).toMatch(/^net-50000 · broken/);
    expect(text).toContain("refused: ^ Unable to get program counter 'g'");
  });

  it('tells that it stopped again, and why', async () => {
    session.become('broken');
    session.go = async () => {
      session.print('Breakpoint 2 hit\n');
      const event = { kind: 'breakpoint', number: 2, at: Date.now(), text: 'Breakpoint 2 hit' } as const;
      session.become('broken', {
        lastEvent: event,
        halt: { since: Date.now(), cause: { kind: 'target' }, event },
      });
      return { outcome: 'stopped-again', from: 0, to: session.info.transcriptEnd, info: session.info };
    };
    expect(await tools.ok('continue_go')).toMatch(
      /halted by the target itself[\s\S]*stopped again: breakpoint 2 hit/,
    );
  });
});

describe('wait_for_break', () => {
  it('comes back as soon as the target stops, with progress before', async () => {
    const call = tools.ok('wait_for_break', { timeout_sec: 40 });
    await expect.poll(() => tools.progress.length).toBeGreaterThan(0);
    await tools.ok('break_in');
    expect(await call).toMatch(/^net-50000 · broken[\s\S]*stopped: break-in/);
    expect(tools.progress[0]).toMatch(/^net-50000 · running/);
  });

  it('comes back at once when the target is halted', async () => {
    session.become('broken');
    expect(await tools.ok('wait_for_break')).toContain('halted: break-in');
  });

  it('says when nothing happened, and shows what was printed since a cursor', async () => {
    session.print('DbgPrint: one\n');
    const text = await tools.ok('wait_for_break', { timeout_sec: 0, from: 0 });
    expect(text).toMatch(/no stop within 0 s\. Next: wait_for_break again[\s\S]*DbgPrint: one/);
  });
});

describe('stop_kd', () => {
  it('lets the guest run and says where the output is', async () => {
    const text = await tools.ok('stop_kd', { session_id: 'net-50000' });
    expect(session.sent).toEqual(['stop resume']);
    expect(text).toMatch(/^net-50000 · ended · guest: running[\s\S]*read_output\(session_id="net-50000"\)/);
  });

  it('accepts terminate_target of the predecessor and says what happens instead', async () => {
    const text = await tools.ok('stop_kd', { terminate_target: 'true' });
    expect(session.sent).toEqual(['stop resume']);
    expect(text).toContain('terminate_target has no effect');
  });

  it('leaves the guest frozen only when told so', async () => {
    expect(await tools.ok('stop_kd', { guest: 'leave_frozen' })).toContain('guest: FROZEN');
    expect(session.sent).toEqual(['stop leave_frozen']);
  });
});

describe('list_sessions', () => {
  it('says what to do when there is none', async () => {
    tools.sessions.sessions.clear();
    expect(await tools.ok('list_sessions')).toMatch(/^no session lives\nNext: start_from_state/);
  });

  it('shows what agents may do in each', async () => {
    expect(await tools.ok('list_sessions')).toContain(
      "net-50000 · running · NET port 50000 · agents' level debug",
    );
  });

  it('shows who halted a guest and how ended sessions ended, and no token', async () => {
    session.become('broken');
    tools.sessions.over.push({
      ...(await tools.sessions.list())[0],
      id: 'com-1',
      ended: { at: Date.now(), reason: 'kd was killed', guest: 'frozen' },
    } as never);
    const text = await tools.ok('list_sessions');
    expect(text).toMatch(
      /^1 session\nnet-50000 · broken \(guest frozen .*, halted by agent test: break-in\)/,
    );
    expect(text).toMatch(/com-1 · ended .* ago · guest: frozen · kd was killed/);
    expect(text).not.toContain('secret-token');
  });
});

describe('the state line', () => {
  it('has remarks about control, lease, lost breakpoints and notices', async () => {
    session.become('broken', {
      notices: [{ kind: 'wrong-key', text: 'The key is wrong.', at: 0, count: 3 }],
    });
    session.update({
      controlledBy: 'Minsu',
      leaseEndsAt: Date.now() + 30_000,
      lostBreakpoints: ['bp drv!X'],
      queued: 2,
    });
    const text = await tools.ok('read_output');
    expect(text).toContain('Minsu has control; you may only look');
    expect(text).toMatch(/the guest is resumed by itself in \d+ s/);
    expect(text).toContain('lost by a reboot: "bp drv!X"');
    expect(text).toContain('The key is wrong. (×3)');
    expect(text).toContain('2 more commands wait');
  });
});
