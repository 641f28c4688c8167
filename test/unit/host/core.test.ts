import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { breakIn, waitForBreak } from '../../../src/host/run-control.ts';
import { AGENT, type CoreRig, coreRig, NEVER, PERSON, settled } from './core-rig.ts';
import { FakeClock } from './fake-clock.ts';

describe('whose halt it is', () => {
  let rig: CoreRig;
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock();
    rig = coreRig('running', clock);
    rig.client(AGENT);
  });
  afterEach(() => rig.dispose());

  test('a breakpoint’s halt belongs to whoever set the breakpoint', async () => {
    rig.engine.stop(PERSON);
    await rig.command(AGENT, { lines: ['bp nt!A', 'bp nt!B'] });
    await rig.command(PERSON, { lines: ['bp nt!C'] });
    const hit = (number: number) => {
      rig.engine.set({ state: 'running' });
      rig.engine.stop({ kind: 'target' }, { kind: 'breakpoint', number });
      return rig.core.info().status.halt?.cause;
    };
    expect(hit(1)).toEqual(AGENT);
    expect(hit(2)).toEqual(PERSON);
    expect(hit(7)).toEqual({ kind: 'target' });
  });

  test('a refused breakpoint command sets nothing', async () => {
    rig.engine.stop(PERSON);
    rig.engine.autoOutput = undefined;
    const command = rig.command(AGENT, { lines: ['bp'] });
    await settled();
    rig.engine.end('done', '', '^ Syntax error in bp');
    await command;
    expect(rig.core.breakpoints.list).toEqual([]);
  });

  test('a person’s command makes an agent’s halt theirs', async () => {
    await breakIn(rig.core, AGENT, 1_000);
    expect(rig.core.info().leaseEndsAt).toBeDefined();
    await rig.command(PERSON, { lines: ['r'] });
    expect(rig.core.info().status.halt?.cause).toEqual(PERSON);
    clock.pass(3_600_000);
    await settled();
    expect(rig.engine.status.state).toBe('broken');
  });

  test('and a halt that is theirs stays theirs when kd goes', async () => {
    await breakIn(rig.core, AGENT, 1_000);
    await rig.command(PERSON, { lines: ['r'] });
    rig.engine.exit(137, 'halted');
    expect(rig.core.halt?.cause).toEqual(PERSON);
  });

  test('the lease ends an agent’s halt, announced', async () => {
    await breakIn(rig.core, AGENT, 1_000);
    clock.pass(300_000);
    await settled();
    expect(rig.engine.status.state).toBe('running');
    expect(rig.text()).toContain('[KD-MCP] Nobody used this halt for 300 s: the guest runs again.');
  });

  test('a refused g starts the lease anew and says so', async () => {
    await breakIn(rig.core, AGENT, 1_000);
    rig.engine.refuseGo = '^ Unable to get program counter';
    clock.pass(300_000);
    await settled();
    expect(rig.text()).toContain('could not be resumed: ^ Unable to get program counter');
    clock.pass(299_000);
    await settled();
    expect(rig.engine.asked.filter((one) => one === 'KD-MCP: g')).toHaveLength(1);
    clock.pass(1_000);
    await settled();
    expect(rig.engine.asked.filter((one) => one === 'KD-MCP: g')).toHaveLength(2);
  });

  test('with nobody there, a running command is interrupted, agents’ breakpoints go off, and the guest runs', async () => {
    await breakIn(rig.core, PERSON, 1_000);
    await rig.command(PERSON, { lines: ['bp nt!P'] });
    rig.engine.set({ state: 'running' });
    await breakIn(rig.core, AGENT, 1_000);
    await rig.command(AGENT, { lines: ['bp nt!A'] });
    rig.engine.autoOutput = (text) => (text.startsWith('.for') ? undefined : '');
    void rig.command(AGENT, { lines: ['.for(;1;){}'] });
    await settled();
    for (const client of [...rig.core.clients]) rig.core.disconnect(client);
    clock.pass(60_000);
    await settled();
    expect(rig.engine.asked.slice(-4)).toEqual([
      'agent: .for(;1;){}',
      'KD-MCP: <break>',
      'KD-MCP: bd 1',
      'KD-MCP: g',
    ]);
    expect(rig.engine.status.state).toBe('running');
    expect(rig.core.breakpoints.list.map((one) => one.enabled)).toEqual([true, false]);
    expect(rig.text()).toContain('Breakpoints of agents are disabled: bp nt!A');
  });

  test('a wait in progress is activity for as long as it lasts', async () => {
    await breakIn(rig.core, AGENT, 1_000);
    const wait = waitForBreak(rig.core, { timeoutMs: 50, generation: 1 }, NEVER);
    clock.pass(3_600_000);
    await settled();
    expect(rig.engine.status.state).toBe('broken');
    expect((await wait).outcome).toBe('pending');
    clock.pass(300_000);
    await settled();
    expect(rig.engine.status.state).toBe('running');
  });

  test('breakpoints that a reboot takes are named, and forgotten when they are set again', async () => {
    rig.engine.stop(PERSON);
    await rig.command(AGENT, { lines: ['bp nt!A', 'bu drv!B'] });
    rig.engine.set({ state: 'running' });
    rig.engine.happen({ kind: 'reboot' });
    const info = rig.core.info();
    expect(info.lostBreakpoints).toEqual(['bp nt!A', 'bu drv!B']);
    expect(info.status.notices.map((one) => one.kind)).toEqual(['breakpoints-lost']);
    expect(rig.text()).toContain('2 breakpoints are gone: bp nt!A · bu drv!B');
    rig.engine.stop(PERSON);
    await rig.command(AGENT, { lines: ['bu drv!B'] });
    expect(rig.core.info().lostBreakpoints).toEqual(['bp nt!A']);
    await rig.command(AGENT, { lines: ['bp nt!A'] });
    expect(rig.core.info().status.notices).toEqual([]);
  });
});
