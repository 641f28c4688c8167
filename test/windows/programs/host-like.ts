/**
 * The Windows part of a session host and nothing else: detached, in a job of its own, kd with a hidden console, a
 * named pipe. Arguments: pipe, path and arguments of the console program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import { joinKillOnCloseJob } from '../../../src/host/win32.ts';
import { createBreaker } from '../../../src/kd/breakin.ts';
import { enableCtrlC } from '../../../src/kd/win32-console.ts';
import { breakOnce, echo, pids, resume } from './protocol.ts';

const [pipe = '', program = '', ...args] = process.argv.slice(2);
// No handler for SIGINT or SIGBREAK on purpose: the code under test must keep this process alive.
for (const step of [joinKillOnCloseJob(), enableCtrlC()]) if (!step.ok) throw new Error(JSON.stringify(step));

const kd = spawn(program, args, { windowsHide: true, stdio: ['pipe', 'pipe', 'ignore'] });
kd.once('exit', () => process.exit());
let seen = '';
kd.stdout.setEncoding('latin1').on('data', (text: string) => {
  seen += text;
});

/** Everything up to and with the first match; what follows stays for the next call. */
async function until(end: RegExp): Promise<string> {
  for (;;) {
    const match = end.exec(seen);
    if (match !== null) {
      const text = seen.slice(0, match.index + match[0].length);
      seen = seen.slice(text.length);
      return text;
    }
    await once(kd.stdout, 'data');
  }
}

await once(kd, 'spawn');
const breaker = createBreaker({
  pid: kd.pid ?? 0,
  kill: (signal) => kd.kill(signal),
  write: (bytes) => kd.stdin.write(bytes),
});

function serve(socket: Socket): void {
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  connection.onRequest(pids, () => ({ host: process.pid, kd: Number(pid) }));
  connection.onRequest(breakOnce, async () => {
    const refused: string[] = [];
    const start = performance.now();
    for (const rung of breaker.rungs) {
      const sent = breaker.send(rung);
      if (sent.ok) {
        await until(/code 80000003[\s\S]*kd> $/);
        return { rung, refused, ms: performance.now() - start };
      }
      refused.push(`${rung}: ${sent.error}`);
    }
    throw new Error(refused.join('; '));
  });
  connection.onRequest(resume, () => {
    kd.stdin.write('g\r\n');
    return null;
  });
  connection.onRequest(echo, async ({ text }) => {
    kd.stdin.write(`.echo ${text}\r\n`);
    return await until(/kd> $/);
  });
  connection.listen();
}

const [, pid] = /pid (\d+)/.exec(await until(/Waiting to reconnect/)) ?? [];
createServer(serve).listen(pipe);
