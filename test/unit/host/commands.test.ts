import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { breakIn, go, stop } from '../../../src/host/run-control.ts';
import { AGENT, type CoreRig, coreRig, NEVER, OTHER, PERSON, settled } from './core-rig.ts';

describe('commands of a session', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = coreRig();
    rig.engine.stop(AGENT);
  });
  afterEach(() => rig.dispose());
  const outcomes = (answer: { readonly results: readonly { readonly outcome: string }[] }) =>
    answer.results.map((one) => one.outcome);

  test('lines run one after the other, each with its own output', async () => {
    rig.engine.autoOutput = (text) => `${text}!\n`;
    const { results } = await rig.command(AGENT, { lines: ['r', 'k'] });
    const texts = results.map((one) => rig.core.transcript.read(one.from, one.to - one.from).text);
    expect(texts).toEqual(['r!\n', 'k!\n']);
    expect(results.map((one) => one.seq)).toEqual([1, 2]);
  });

  test('commands of two clients run first in, first out', async () => {
    await Promise.all([
      rig.command(AGENT, { lines: ['a1', 'a2'] }),
      rig.command(OTHER, { lines: ['b1'] }),
      rig.command(AGENT, { lines: ['a3'] }),
    ]);
    expect(rig.engine.asked).toEqual(['agent: a1', 'agent: a2', 'other: b1', 'agent: a3']);
  });

  test('a time-out returns what came so far; the command goes on, and later output is not the next one’s', async () => {
    rig.engine.autoOutput = undefined;
    const long = rig.command(AGENT, { lines: ['!process 0 7', 'k'], timeoutMs: 30 });
    await settled();
    rig.engine.print('first part\n');
    const { results } = await long;
    expect(results.map((one) => one.outcome)).toEqual(['running', 'running']);
    const [slow, waiting] = results;
    expect(rig.core.transcript.read(slow?.from ?? 0, 100).text).toBe('first part\n');
    expect(waiting?.error).toContain('#1 "!process 0 7" of agent');
    const next = rig.command(OTHER, { lines: ['r'] });
    rig.engine.print('second part\n');
    rig.engine.autoOutput = (text) => `${text}!\n`;
    rig.engine.end();
    const after = (await next).results[0];
    expect(rig.core.transcript.read(after?.from ?? 0, (after?.to ?? 0) - (after?.from ?? 0)).text).toBe(
      'r!\n',
    );
    expect(rig.engine.asked).toEqual(['agent: !process 0 7', 'agent: k', 'other: r']);
  });

  test('what waits longer than its time is taken back, and the reply names what is running', async () => {
    rig.engine.autoOutput = undefined;
    void rig.command(AGENT, { lines: ['!process 0 7'] });
    const { results } = await rig.command(OTHER, { lines: ['r'], timeoutMs: 20 });
    expect(results[0]).toMatchObject({ outcome: 'dropped', seq: 0 });
    expect(results[0]?.error).toMatch(
      /^Not sent: command #1 "!process 0 7" of agent has been running for 0 s\. /,
    );
    rig.engine.end();
    await settled();
    expect(rig.engine.asked).toEqual(['agent: !process 0 7']);
  });

  test('a queued command is dropped when the target was resumed in between', async () => {
    rig.engine.autoOutput = undefined;
    const first = rig.command(AGENT, { lines: ['g'] });
    const second = rig.command(OTHER, { lines: ['eb 0 1'] });
    await settled();
    rig.engine.end('resumed');
    expect(outcomes(await first)).toEqual(['resumed']);
    expect(outcomes(await second)).toEqual(['dropped']);
    expect(rig.engine.asked).toEqual(['agent: g']);
  });

  test('a queued command is dropped when the target ran and stopped again in between', async () => {
    rig.engine.autoOutput = undefined;
    const first = rig.command(AGENT, { lines: ['p'] });
    const second = rig.command(OTHER, { lines: ['r'] });
    await settled();
    rig.engine.stop(AGENT, { kind: 'step' });
    rig.engine.end('done');
    await first;
    const { results } = await second;
    expect(results[0]?.outcome).toBe('dropped');
    expect(results[0]?.error).toContain('ran and stopped again');
  });

  test('steps and what follows them in the same request belong together', async () => {
    rig.engine.autoOutput = (text) => {
      if (text === 'p') rig.engine.stop(AGENT, { kind: 'step' });
      return '';
    };
    const answer = await rig.command(AGENT, { lines: ['p', 'p', 'r'] });
    expect(outcomes(answer)).toEqual(['done', 'done', 'done']);
  });

  test('lines behind one that did not end well are dropped', async () => {
    rig.engine.autoOutput = undefined;
    const answer = rig.command(AGENT, { lines: ['a', 'b'] });
    await settled();
    await breakIn(rig.core, PERSON, 1_000);
    expect(outcomes(await answer)).toEqual(['interrupted', 'dropped']);
  });

  test('a stop drops what is queued', async () => {
    rig.engine.autoOutput = undefined;
    const first = rig.command(AGENT, { lines: ['a'] });
    const second = rig.command(OTHER, { lines: ['b'] });
    await settled();
    await stop(rig.core, PERSON, 'resume');
    expect(outcomes(await first)).toEqual(['ended']);
    expect(outcomes(await second)).toEqual(['dropped']);
    await expect(rig.command(AGENT, { lines: ['r'] })).rejects.toThrow('Start a new session');
  });

  test('go waits for its turn, and a second one finds the target running', async () => {
    rig.engine.autoOutput = undefined;
    const command = rig.command(AGENT, { lines: ['k'] });
    const goes = [go(rig.core, AGENT, 0, NEVER), go(rig.core, OTHER, 0, NEVER)];
    await settled();
    expect(rig.engine.asked).toEqual(['agent: k']);
    rig.engine.end();
    expect(outcomes(await command)).toEqual(['done']);
    expect((await Promise.all(goes)).map((one) => one.outcome)).toEqual(['done', 'already']);
  });

  test('a break interrupts without waiting in the queue, and a halted target is not broken again', async () => {
    expect((await breakIn(rig.core, OTHER, 1_000)).outcome).toBe('already');
    rig.engine.autoOutput = undefined;
    void rig.command(AGENT, { lines: ['.sleep 100000'] });
    await settled();
    expect((await breakIn(rig.core, OTHER, 1_000)).outcome).toBe('interrupted');
    expect(rig.engine.asked).toEqual(['agent: .sleep 100000', 'other: <break>']);
  });

  test.each([
    ['running', 'Break in first'],
    ['breaking', 'has not stopped yet'],
    ['waiting', 'Break in first'],
    ['starting', 'still starting'],
  ] as const)('a command for a target that is %s is refused with the next step', async (state, words) => {
    rig.engine.set({ state });
    await expect(rig.command(AGENT, { lines: ['r'] })).rejects.toThrow(words);
    expect(rig.engine.asked).toEqual([]);
  });

  test('a question is answered, not overrun by a command', async () => {
    rig.engine.set({ state: 'asking', question: 'Input>' });
    await expect(rig.command(AGENT, { lines: ['r'] })).rejects.toThrow('kd asks for input: Input>');
    expect(outcomes(await rig.command(AGENT, { lines: [''], answer: true }))).toEqual(['done']);
    await expect(rig.command(AGENT, { lines: ['x'], answer: true })).rejects.toThrow('nothing to answer');
  });

  test.each([
    ['', 'empty'],
    ['a\nb', 'line break'],
    ['\u0006', 'control character'],
    ['x'.repeat(4_097), '4096'],
    ['.echo 안녕', 'ASCII'],
    ['q', 'Instead: stop_kd'],
  ])('what must not reach kd is refused: %j', async (line, words) => {
    await expect(rig.command(AGENT, { lines: [line] })).rejects.toThrow(words);
    expect(rig.engine.asked).toEqual([]);
  });

  test('nothing is sent for no line, and too many are refused', async () => {
    await expect(rig.command(AGENT, { lines: [] })).rejects.toThrow('no command');
    await expect(rig.command(AGENT, { lines: Array.from({ length: 51 }, () => 'r') })).rejects.toThrow(
      'at most 50',
    );
  });

  describe('break_and_resume', () => {
    beforeEach(() => rig.engine.set({ state: 'running' }));
    const both = { lines: ['r', 'k'], ifRunning: 'break_and_resume' } as const;

    test('breaks, runs, lets the target run', async () => {
      const answer = await rig.command(AGENT, both);
      expect(outcomes(answer)).toEqual(['done', 'done']);
      expect(answer.info.status.state).toBe('running');
      expect(rig.engine.asked).toEqual(['agent: <break>', 'agent: r', 'agent: k', 'KD-MCP: g']);
    });

    test('does not resume a stop that was not its own', async () => {
      rig.engine.autoBreak = false;
      const answer = rig.command(AGENT, both);
      await settled();
      rig.engine.stop({ kind: 'target' }, { kind: 'bugcheck', code: 'D1', args: [] });
      expect(outcomes(await answer)).toEqual(['done', 'done']);
      expect(rig.engine.status.state).toBe('broken');
      expect(rig.text()).toContain('stays halted');
    });

    test('does not resume when somebody asked for a halt meanwhile', async () => {
      rig.engine.autoOutput = undefined;
      const answer = rig.command(AGENT, { ...both, lines: ['r'] });
      await settled();
      rig.engine.autoBreak = false;
      void breakIn(rig.core, PERSON, 10);
      rig.engine.end();
      await answer;
      expect(rig.engine.status.state).toBe('broken');
    });

    test('reports a refused g and leaves the target halted', async () => {
      rig.engine.refuseGo = "^ Unable to get program counter 'g'";
      const { results } = await rig.command(AGENT, both);
      expect(results[1]?.error).toContain('Unable to get program counter');
    });

    test('on a halted target it is an ordinary command', async () => {
      rig.engine.stop(PERSON);
      await rig.command(AGENT, both);
      expect(rig.engine.status.state).toBe('broken');
    });
  });
});
