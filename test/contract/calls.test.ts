import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionError } from '../../src/client/sessions.ts';
import { tools as all } from '../../src/tools/index.ts';
import type { Argument } from '../../src/tools/tool.ts';
import { FakeSession } from './fake-sessions.ts';
import { ToolCaller } from './tool-caller.ts';

describe('every call', () => {
  it('names an unknown tool and what was probably meant', async () => {
    const tools = new ToolCaller();
    expect(await tools.error('kd_comand')).toMatch(/Unknown tool "kd_comand"\. Did you mean kd_command\?/);
    expect(await tools.error('zzz')).toMatch(/Tools: health_check/);
  });

  it('refuses unknown arguments by name, in every tool', async () => {
    const tools = new ToolCaller();
    for (const tool of all) {
      const text = await tools.error(tool.name, { sesion_id: 'x', bogus_argument: 1 });
      expect(text, tool.name).toContain('unknown argument "bogus_argument"');
    }
    expect(tools.sessions.started).toEqual([]);
  });

  it('refuses wrong types by name, in every tool and argument', async () => {
    const tools = new ToolCaller();
    for (const tool of all) {
      for (const name of Object.keys(tool.args)) {
        expect(await tools.error(tool.name, { [name]: { nested: true } }), `${tool.name}.${name}`).toContain(
          `${name}: expected`,
        );
      }
    }
  });

  it('is answered with at most 8,192 bytes of well-formed text, whatever is asked and whatever there is to tell', async () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 9_000 }),
      fc
        .constantFrom('\n', '"', '\\', '한', '😀', '\u001b[2J', '\ud83d', 'x', 'a.b', '[')
        .chain((unit) => fc.nat(9_000).map((times) => unit.repeat(times))),
    );
    const fitting = (name: string, argument: Argument): fc.Arbitrary<unknown> => {
      if (name === 'session_id') return fc.constantFrom('net-50000', 'com-1');
      switch (argument.type) {
        case 'string':
          return fc.constantFrom(...(argument.enum ?? ['r', 'lm\nk\n!process 0 0', 'state.json']));
        case 'boolean':
          return fc.boolean();
        case 'integer':
        case 'number':
          return fc.integer({ min: argument.minimum ?? 0, max: (argument.minimum ?? 0) + 1 });
      }
    };
    const wild = fc.oneof(nasty, fc.anything());
    const calls = fc.constantFrom(...all).chain((tool) => {
      // Never the address of a guest: that would be asked on the network.
      const args = Object.entries(tool.args).filter(([name]) => name !== 'guest_host');
      const valid = fc.record(
        Object.fromEntries(args.map(([name, argument]) => [name, fitting(name, argument)])),
        { requiredKeys: [...(tool.required ?? [])] },
      );
      const names = fc.oneof(fc.constantFrom(...args.map(([name]) => name), 'bogus'), nasty);
      const invalid = fc
        .tuple(valid, fc.dictionary(names, wild, { maxKeys: 4 }))
        .map(([some, other]) => ({ ...some, ...other }));
      return fc.oneof(valid, invalid).map((chosen) => ({ name: tool.name, args: chosen }));
    });
    await fc.assert(
      fc.asyncProperty(calls, nasty, fc.boolean(), async ({ name, args }, text, two) => {
        const tools = new ToolCaller();
        const session = tools.sessions.add(new FakeSession('net-50000'));
        if (two) tools.sessions.add(new FakeSession('com-1', 'running'));
        session.print(`${text}\n`);
        session.respond = () => text;
        session.become('broken', {
          prompt: text,
          notices: [{ kind: 'link-trouble', text, at: 1, count: 1 }],
          halt: { since: 1, cause: { kind: 'agent', name: text }, event: { kind: 'break-in', at: 1, text } },
        });
        const { text: reply, isError } = await tools.call(name, args, { deadlineMs: 100 });
        const sent = {
          jsonrpc: '2.0',
          id: 1e15,
          result: { content: [{ type: 'text', text: reply }], isError },
        };
        expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThanOrEqual(8192);
        expect(reply.isWellFormed()).toBe(true);
        expect(reply).not.toBe('');
        expect(reply).not.toContain('Unexpected error');
        expect(tools.logged).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('turns defects of this program into an answer and logs them', async () => {
    const tools = new ToolCaller();
    tools.sessions.list = async () => {
      throw new TypeError('boom');
    };
    expect(await tools.error('list_sessions')).toMatch(/Unexpected error: boom.*doctor/);
    expect(tools.logged.join()).toContain('TypeError: boom');
  });

  it('never shows the key of a call, whatever goes wrong with it', async () => {
    const tools = new ToolCaller();
    const key = 'q7w8e9r0t1y2u.i3o4p5a6s7d8f.g9h0j1k2l3z4x.c5v6b7n8m9q0w';
    tools.sessions.onStart = () => {
      throw new SessionError(`kd said: KEY=${key.toUpperCase()} 1.2.3.4`);
    };
    const calls = [
      { port: 50000, key, target: '10.0.0.5' },
      { kdnet: `net:port=50000,key=${key}` },
      { k: `net:port=50000,key=${key},foo=1` },
      { port: 50000, key: `${key}.toolong` },
      { port: 50000, key, [key]: 1 },
      { port: key, key: 50000 },
    ];
    for (const args of calls) {
      const text = await tools.error('start_kd', args);
      expect(text.toLowerCase()).not.toContain(key);
    }
    expect(await tools.error('start_kd', { port: 50000, key: '1.2.3.4' })).not.toContain('1.2.3.4');
    expect(tools.progress.join().toLowerCase()).not.toContain(key);
    expect(tools.logged.join().toLowerCase()).not.toContain(key);
  });

  it('ends at once when the client gives up, and leaves kd alone', async () => {
    const tools = new ToolCaller();
    const session = tools.sessions.add(new FakeSession('net-50000', 'running'));
    const giveUp = new AbortController();
    const call = tools.call('wait_for_break', { timeout_sec: 45 }, { signal: giveUp.signal });
    giveUp.abort();
    const { text, isError } = await call;
    expect(isError).toBe(true);
    expect(text).toContain('cancelled');
    expect(session.sent).toEqual([]);
  });

  it('answers within its last deadline even if the session host hangs', async () => {
    const tools = new ToolCaller();
    const session = tools.sessions.add(new FakeSession('net-50000'));
    session.command = () => new Promise(() => undefined);
    const { text, isError } = await tools.call('kd_command', { command: 'r' }, { deadlineMs: 30 });
    expect(isError).toBe(true);
    expect(text).toMatch(/No answer within 0\.03 s.*list_sessions/);
  });

  it('with a broken configuration looks and frees, and does nothing else', async () => {
    const tools = new ToolCaller();
    tools.sessions.add(new FakeSession('net-50000'));
    tools.context = { ...tools.context, configProblem: 'config.yaml line 3: kd.port: unknown key' };
    for (const name of ['start_from_state', 'start_kd', 'break_in']) {
      expect(await tools.error(name)).toContain('config.yaml line 3');
    }
    expect(await tools.error('kd_command', { command: 'r' })).toContain('config.yaml line 3');
    const health = await tools.ok('health_check');
    expect(health).toMatch(/PROBLEM · configuration: config\.yaml line 3/);
    // Not what the defaults would say.
    expect(health).not.toMatch(/ · (kd\.exe|state file|port): /);
    await tools.ok('list_sessions');
    await tools.ok('read_output');
    await tools.ok('continue_go', { wait_sec: 0 });
    await tools.ok('stop_kd');
  });
});
