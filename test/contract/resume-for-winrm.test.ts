import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressOf } from '../../src/tools/winrm-watch.ts';
import { FakeSession } from './fake-sessions.ts';
import { ToolCaller } from './tool-caller.ts';

let tools: ToolCaller;
let session: FakeSession;
const servers: Server[] = [];
beforeEach(() => {
  tools = new ToolCaller();
  session = tools.sessions.add(new FakeSession('net-50000', 'broken'));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A guest whose WinRM answers; gives its address. */
async function winrm(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(405).end());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

/** Nothing listens there. */
async function silence(): Promise<string> {
  const where = await winrm();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return where;
}

describe('resume_for_winrm', () => {
  it('lets the target run and says that WinRM answers, where, and how long the guest was frozen', async () => {
    const guestHost = await winrm();
    session.update({ guestHost });
    const text = await tools.ok('resume_for_winrm', { session_id: 'net-50000', wait_sec: 30 });
    expect(session.sent).toEqual(['g']);
    expect(text).toMatch(/^net-50000 · running/);
    expect(text).toMatch(/had been frozen for [\d.]+ s/);
    expect(text).toContain(`WinRM answers at ${guestHost}`);
    expect(text).toContain('Next: go on with WinRM-MCP.');
  });

  it('works when the target runs already: nothing is sent', async () => {
    session.become('running');
    session.update({ guestHost: await winrm() });
    expect(await tools.ok('resume_for_winrm')).toMatch(
      /running already: nothing was sent[\s\S]*WinRM answers/,
    );
    expect(session.sent).toEqual([]);
  });

  it('also looks at the address that kd printed, and says when the guest has moved', async () => {
    const moved = await winrm();
    session.update({ guestHost: await silence() });
    const go = session.go.bind(session);
    session.go = async (ms) => {
      const result = await go(ms);
      session.become('running', { target: { linkAddress: moved } });
      return { ...result, info: session.info };
    };
    // The address in the state file is silent; both are on one machine here, so only the port tells them apart.
    expect(await tools.ok('resume_for_winrm')).toContain(`WinRM answers at ${moved}`);
  });

  it('stops waiting at once when the target stops again', async () => {
    session.update({ guestHost: await silence() });
    const call = tools.ok('resume_for_winrm', { wait_sec: 45 });
    await expect.poll(() => tools.progress.some((line) => line.includes('waiting for WinRM'))).toBe(true);
    session.print('Breakpoint 0 hit\n');
    const event = { kind: 'breakpoint', number: 0, at: Date.now(), text: '' } as const;
    session.become('broken', {
      lastEvent: event,
      halt: { since: Date.now(), cause: { kind: 'target' }, event },
    });
    const text = await call;
    expect(text).toMatch(/^net-50000 · broken .*halted by the target itself/);
    expect(text).toContain('The target stopped again');
    expect(text).toContain('Breakpoint 0 hit');
  });

  it('says what was seen when WinRM does not answer in time', async () => {
    const guestHost = await silence();
    session.update({ guestHost });
    const text = await tools.ok('resume_for_winrm', { wait_sec: 1 });
    expect(text).toContain(`WinRM did not answer within 1 s: ${guestHost} refused the connection`);
    expect(text).toContain('Next: resume_for_winrm again');
  });

  it('says that no address is known, and takes one as an argument', async () => {
    expect(await tools.ok('resume_for_winrm')).toContain('pass guest_host');
    expect(session.sent).toEqual(['g']);
    expect(await tools.ok('resume_for_winrm', { guest_host: await winrm() })).toContain('WinRM answers');
  });

  it('is an error that quotes kd when kd refuses to go', async () => {
    session.go = async () => ({
      outcome: 'refused',
      error: "^ Unable to get program counter 'g'",
      from: 0,
      to: 0,
      info: session.info,
    });
    expect(await tools.error('resume_for_winrm')).toContain("Unable to get program counter 'g'");
  });

  it('says that there is nothing to resume without a target', async () => {
    session.become('waiting');
    expect(await tools.error('resume_for_winrm')).toContain('no target yet');
  });

  it('ends with the call when the client gives up', async () => {
    session.update({ guestHost: await silence() });
    const giveUp = new AbortController();
    const call = tools.call('resume_for_winrm', { wait_sec: 45 }, { signal: giveUp.signal });
    await expect.poll(() => tools.progress.some((line) => line.includes('waiting for WinRM'))).toBe(true);
    giveUp.abort();
    expect((await call).text).toContain('cancelled');
  });
});

describe('an address', () => {
  it('may name a port', () => {
    expect(addressOf('10.0.0.5')).toEqual({ host: '10.0.0.5' });
    expect(addressOf(' guest:15985 ')).toEqual({ host: 'guest', port: 15985 });
    expect(addressOf('[fe80::1]:5985')).toEqual({ host: 'fe80::1', port: 5985 });
    expect(addressOf('[fe80::1]')).toEqual({ host: 'fe80::1' });
    expect(addressOf('fe80::1')).toEqual({ host: 'fe80::1' });
  });
});
