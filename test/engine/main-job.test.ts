/** The main job on the real engine, and every tool at least once. */
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { startGuest } from './guest.ts';
import { cursorOf, startProduct } from './product.ts';

describe('the main job', () => {
  test('runs from the state file to a breakpoint in a driver and back to WinRM, with every tool', async () => {
    const winrm = await freeTcpPort();
    const guest = await startGuest({ args: ['--winrm', `127.0.0.1:${winrm}`] });
    const { ok, client } = await startProduct({ ...guest, guestHost: `127.0.0.1:${winrm}` });
    const id = `net-${guest.port}`;
    const used = new Set<string>();
    const use = (tool: string, args?: Readonly<Record<string, unknown>>) => {
      used.add(tool);
      return ok(tool, args);
    };

    expect(await use('list_sessions')).toContain('no session lives');
    expect(await use('health_check')).toContain(`${guest.port}`);
    expect(await use('start_from_state')).toMatch(
      new RegExp(`^${id} · waiting for the target \\(link is up`),
    );
    expect(await guest.state()).toBe('running');
    expect(await use('start_kd', { port: guest.port, key: guest.key })).toContain('joined the session');

    expect(await use('break_in')).toMatch(new RegExp(`^${id} · broken .*halted by agent`));
    expect(await guest.state()).toBe('frozen');
    expect(await use('kd_command', { command: 'r\nk\nlm' })).toMatch(
      /"r" · done[\s\S]*rip=[\s\S]*"k" · done[\s\S]*nt!DbgBreakPointWithStatus[\s\S]*"lm" · done[\s\S]* nt /,
    );
    expect(await use('kd_command', { command: '.reload\nbp mydriver!MyDispatch\nbl' })).toMatch(
      /0 e Disable Clear|0 e /,
    );

    const went = await use('continue_go', { wait_sec: 0 });
    expect(went).toMatch(/ · running \(/);
    expect(await guest.tell('print mydriver: a request has come\\n')).toBe('ok');
    expect(await guest.tell('hit mydriver!MyDispatch')).toBe('ok');
    expect(await use('wait_for_break', { from: cursorOf(went) })).toMatch(
      /breakpoint 0 hit[\s\S]*Breakpoint 0 hit/,
    );
    expect(await use('read_output', { from: cursorOf(went), grep: 'request' })).toContain(
      'mydriver: a request has come',
    );
    await use('kd_command', { command: 'bc *' });

    expect(await use('resume_for_winrm')).toContain(`WinRM answers at 127.0.0.1:${winrm}`);
    expect(await use('stop_kd')).toContain('guest: running');
    expect(await guest.state()).toBe('running');
    expect([...used].sort()).toEqual(tools.map((tool) => tool.name).sort());
    expect((await (await client()).listTools()).length).toBe(used.size);
  });

  test('kd’s own view of the key stays between kd and the guest', async () => {
    const guest = await startGuest();
    const { ok } = await startProduct(guest);
    await ok('start_from_state', { break_on_connect: true });
    await ok('wait_for_break');
    // `version` prints the connection with its key (engine.md §5); product.ts looks for it in every reply.
    expect(await ok('kd_command', { command: 'version' })).toMatch(/NET:Port=\d+,Key=(?!\d)/);
  });
});

function freeTcpPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
