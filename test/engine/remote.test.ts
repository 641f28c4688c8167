/** The engine as a server of other debuggers, and as one of them, through named pipes of Wine (kd-behaviour §9). */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { userDump } from './engine.ts';
import { type Guest, startGuest } from './guest.ts';
import { type Kd, PROMPT, startKd, stoppedKd } from './kd.ts';

const PASSWORD = 'Zr8aQ1mB5xY2';
/** The longest password that the engine takes. */
const LONGEST = 12;
const AT_USER_PROMPT = /0:000> $/;

interface Shared {
  readonly server: Kd;
  readonly pipe: string;
  readonly remote: string;
}

/** Opens a server in a kd that is at its prompt. */
async function share(server: Kd, password = PASSWORD): Promise<Shared> {
  const pipe = `kdmcp-${randomBytes(8).toString('hex')}`;
  server.write(`.server npipe:pipe=${pipe},password=${password}\n`);
  await server.shows(/Server started\. {2}Client can connect with any of these command lines\r\n/);
  await server.shows(new RegExp(`0: <debugger> -remote npipe:Pipe=${pipe},Password=\\*,Server=`));
  return { server, pipe, remote: `npipe:server=.,pipe=${pipe},password=${password}` };
}

async function shareDump(): Promise<Shared> {
  const server = startKd(['-z', userDump()]);
  await server.shows(AT_USER_PROMPT);
  return share(server);
}

async function shareGuest(): Promise<Shared & { readonly guest: Guest }> {
  const guest = await startGuest();
  return { guest, ...(await share(await stoppedKd(guest))) };
}

async function join(remote: string): Promise<Kd> {
  const client = startKd(['-remote', remote]);
  await client.shows(/ \(npipe [\w-]+\) connected at [^\r]+\r\n/);
  return client;
}

describe('a debugging server', () => {
  test('takes a password of 12 characters and no longer one', async () => {
    const { server } = await shareDump();
    server.write(`.server npipe:pipe=kdmcp-long,password=${'x'.repeat(LONGEST + 1)}\n`);
    await server.shows(/Unable to start server, Win32 error 0n87\r\n {4}"Invalid parameter\."\r\n/);
  });

  test('is listed without its password, ended by its number, and those who came stay', async () => {
    const { server, pipe, remote } = await shareDump();
    const client = await join(remote);
    server.write('.servers\n');
    await server.shows(
      new RegExp(
        `On the client, use any of these command lines\\r\\n0: <debugger> -remote npipe:Pipe=${pipe},Password=\\*`,
      ),
    );
    server.write('.endsrv 0\n.servers\n');
    await server.shows(
      /Server told to exit\. {2}Actual exit may be delayed until\r\nthe next connection attempt\.\r\n/,
    );
    await server.shows(/0: <Disabled, exit pending>/);
    client.write('.echo still here\n');
    await server.shows(/still here\r\n/);
  });

  test('shows who is there, itself too, and those who left no longer', async () => {
    const { server, pipe, remote } = await shareDump();
    const client = await join(remote);
    await server.shows(/\(npipe [\w-]+\) connected at /);
    server.write('.clients\n');
    await server.shows(
      new RegExp(`\\\\\\S+ \\(npipe ${pipe}\\), last active .+\\r\\nHostMachine\\\\HostUser, last active `),
    );
    client.write('\x02\n');
    await client.exited;
    server.write('.echo\n.clients\n');
    await server.shows(/0:000> HostMachine\\HostUser, last active /);
  });

  test('shows the commands of others with their names, and no new prompt after them', async () => {
    const { server, pipe, remote } = await shareDump();
    const client = await join(remote);
    client.write('.echo from afar\n');
    await server.shows(
      new RegExp(`\\[\\S+ \\(npipe ${pipe}\\)\\] 0:000> \\.echo from afar\\r\\nfrom afar\\r\\n$`),
    );
    expect(await quiet(server)).toBe('');
    server.write('.echo own\n');
    await server.shows(/^own\r\n0:000> $/);
    await client.shows(/0:000> \.echo own\r\nown\r\n/);
  });
});

describe('a client of a debugging server', () => {
  test('is shown what was printed before it came', async () => {
    const { server, remote } = await shareDump();
    server.write('.echo earlier\n');
    await server.shows(/earlier\r\n/);
    const client = await join(remote);
    expect(client.text()).toMatch(/0:000> earlier\r\n[\s\S]* connected at /);
  });

  test('is refused with a wrong password, with none, after the end of the server, and where there is no pipe', async () => {
    const { server, pipe, remote } = await shareDump();
    const refused = async (text: string, code: string): Promise<void> => {
      const client = startKd(['-remote', text]);
      await client.shows(new RegExp(code));
      expect(await client.exited).not.toBe(0);
    };
    await refused(`npipe:server=.,pipe=${pipe},password=wrong`, '0x80010007');
    await refused(`npipe:server=.,pipe=${pipe}`, '0x80010007');
    await refused('npipe:server=.,pipe=kdmcp-nowhere,password=x', '0x80070002');
    server.write('.endsrv 0\n');
    await server.shows(/Server told to exit/);
    await refused(remote, '0x80010007');
    await refused(remote, '0x80070002');
  });

  test('ends when the other debugger ends', async () => {
    const { server, remote } = await shareDump();
    const client = await join(remote);
    await client.shows(AT_USER_PROMPT);
    server.write('q\n');
    await client.exited;
  });

  test('leaves with Ctrl+B, and a halted target stays halted', async () => {
    const { guest, server, remote } = await shareGuest();
    const client = await join(remote);
    await client.shows(PROMPT);
    client.write('\x02\n');
    expect(await client.exited).toBe(0);
    expect(await guest.state()).toBe('frozen');
    server.write('.echo owner\n');
    await server.shows(/owner\r\n/);
  });

  test('has no prompt while the target runs, can stop it, and can let it run', async () => {
    const { guest, server, remote } = await shareGuest();
    server.write('g\n');
    await guest.becomes('running');
    const client = await join(remote);
    client.write('.echo too early\n');
    expect(await quiet(client)).toBe('');
    client.interrupt();
    await guest.becomes('frozen');
    await client.shows(/Break instruction exception[\s\S]*kd> .*too early\r\n/);
    await server.shows(/kd> /);
    client.write('g\n');
    await server.shows(/\] \d: kd> g\r\n/);
    await guest.becomes('running');
    client.write('\x02\n');
    await client.exited;
    expect(await guest.state()).toBe('running');
  });

  test('cannot end the session with `q` or `qd`', async () => {
    const { guest, server, remote } = await shareGuest();
    const client = await join(remote);
    await client.shows(PROMPT);
    client.write('qd\n');
    await client.shows(/Exit a remote ntsd\/cdb client with Ctrl-b<enter>\.\r\n/);
    await client.shows(/If you really want the server to quit use an extra q, such as 'qq' or 'qqd'\.\r\n/);
    expect(await guest.state()).toBe('frozen');
    server.write('.echo owner\n');
    await server.shows(/owner\r\n/);
  });
});

/** What comes while nothing should. */
async function quiet(kd: Kd, ms = 500): Promise<string> {
  const before = kd.text().length;
  await new Promise((resolve) => setTimeout(resolve, ms));
  return kd.text().slice(before);
}
