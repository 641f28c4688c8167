/** The simulated kd as a debugging server and as a client of one: what test/engine/remote.test.ts sees of the engine. */
import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { disposeSimulators, type SimulatorProcess, startSimulator } from './simulator-process.ts';

const PASSWORD = 'Zr8aQ1mB5xY2';

afterEach(disposeSimulators);

interface Shared {
  readonly server: SimulatorProcess;
  readonly pipe: string;
  readonly remote: string;
}

async function share(): Promise<Shared> {
  const server = await startSimulator();
  await server.breakIn();
  const pipe = `kdmcp-${randomBytes(8).toString('hex')}`;
  expect(await server.ask(`.server npipe:pipe=${pipe},password=${PASSWORD}`)).toMatch(
    new RegExp(
      `^Server started\\. {2}Client can connect with any of these command lines\\n0: <debugger> -remote npipe:Pipe=${pipe},Password=\\*,Server=\\S+\\n$`,
    ),
  );
  return { server, pipe, remote: `npipe:server=localhost,pipe=${pipe},password=${PASSWORD}` };
}

async function join(remote: string): Promise<SimulatorProcess> {
  const client = await startSimulator('-remote', remote);
  await client.until(/\S+\\\S+ \(npipe [\w-]+\) connected at .+\n/);
  return client;
}

test('a server is listed without its password, refuses longer ones, and takes nobody after its end', async () => {
  const { server, pipe, remote } = await share();
  expect(await server.ask('.servers')).toMatch(
    new RegExp(
      `^On the client, use any of these command lines\\n0: <debugger> -remote npipe:Pipe=${pipe},Password=\\*`,
    ),
  );
  expect(await server.ask('.server npipe:pipe=x,password=1234567890123')).toBe(
    'Unable to start server, Win32 error 0n87\n    "Invalid parameter."\n',
  );
  expect(await server.ask(`.server npipe:pipe=${pipe}`)).toContain('0n183');
  const client = await join(remote);
  expect(await server.ask('.endsrv 3')).toMatch(/No such server\n$/);
  await server.ask('.endsrv 0');
  expect(await server.ask('.servers')).toContain('0: <Disabled, exit pending>');
  for (const code of ['0x80010007', '0x80070002']) {
    const late = await startSimulator('-remote', remote);
    await late.until(code);
    expect((await late.exited).code).not.toBe(0);
  }
  client.send('.echo still here');
  await server.until('.echo still here\nstill here\n');
});

test('who connects and what others type is seen, without a new prompt after it', async () => {
  const { server, pipe, remote } = await share();
  const client = await join(remote);
  await client.until('0: kd> ');
  await server.until(/ connected at .+\n/);
  expect(await client.ask('.echo from afar')).toBe('from afar\n');
  await server.until(new RegExp(`^\\[\\S+ \\(npipe ${pipe}\\)\\] 0: kd> \\.echo from afar\\nfrom afar\\n`));
  expect(server.rest()).toBe('');
  expect(await server.ask('.clients')).toMatch(
    new RegExp(`^\\S+ \\(npipe ${pipe}\\), last active .+\\nHostMachine\\\\HostUser, last active .+\\n$`),
  );
  await client.until('0: kd> .clients\n');
});

test('a wrong password and a pipe that is not there are refused', async () => {
  const { pipe } = await share();
  const wrong = await startSimulator('-remote', `npipe:server=.,pipe=${pipe},password=wrong`);
  await wrong.until('0x80010007');
  const nowhere = await startSimulator('-remote', 'npipe:server=.,pipe=kdmcp-nowhere,password=x');
  await nowhere.until('0x80070002');
});

test('a client has no prompt while the target runs, stops it and lets it run, and leaves it alone', async () => {
  const { server, remote } = await share();
  server.send('g');
  await server.control('state');
  const client = await join(remote);
  client.send('.echo too early');
  client.interrupt();
  await client.until(/int {5}3\n\d: kd> too early\n\d: kd> $/);
  await server.until('kd> ');
  client.send('qd');
  await client.until('Exit a remote ntsd/cdb client with Ctrl-b<enter>.\n');
  client.send('g');
  await server.until('kd> g\n');
  expect(await server.state()).toMatchObject({ state: 'running' });
  client.write('\x02\n');
  expect((await client.exited).code).toBe(0);
  expect(await server.state()).toMatchObject({ state: 'running', kd: 'away' });
});

test('the end of the server ends its clients', async () => {
  const { server, remote } = await share();
  const client = await join(remote);
  await client.until('kd> ');
  server.send('q');
  await client.until('quit:\n');
  await client.exited;
});

test('-server opens one at the start', async () => {
  const pipe = `kdmcp-${randomBytes(8).toString('hex')}`;
  const server = await startSimulator('-server', `npipe:pipe=${pipe},password=${PASSWORD}`);
  await server.until(
    /Server started\.[^\n]*\n0: <debugger> -remote npipe:Pipe=\S+\n[\s\S]*Waiting to reconnect/,
  );
  const client = await join(`npipe:server=.,pipe=${pipe},password=${PASSWORD}`);
  client.interrupt();
  await client.until('kd> ');
});
