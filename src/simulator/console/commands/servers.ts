/** Debugging servers: opening, listing and ending them (kd-behaviour.md §9.1, engine-facts.md). */
import { type Command, CommandError, type Execution } from '../command.ts';
import type { Debugger } from '../debugger.ts';

const POLL_MS = 2;

function* openServer(kd: Debugger, text: string): Execution {
  if (text === '') {
    yield 'Usage: .server tcp:port=<Socket>  OR  .server npipe:pipe=<PipeName>\n';
    return;
  }
  let printed: string | undefined;
  void kd.servers.open(text).then((answer) => {
    printed = answer;
  });
  while (printed === undefined) yield { kind: 'pause', ms: POLL_MS, deaf: true };
  yield printed;
}

export const SERVERS: readonly Command[] = [
  { names: ['.server'], run: (kd, { rest }) => openServer(kd, rest.trim()) },
  {
    names: ['.servers'],
    *run(kd) {
      yield kd.servers.list();
    },
  },
  {
    names: ['.endsrv'],
    *run(kd, { rest }) {
      if (!/^\s*\d+\s*$/.test(rest)) throw new CommandError("Numeric expression missing from '<EOL>'\n");
      yield kd.servers.end(Number(rest));
    },
  },
  {
    names: ['.clients'],
    *run(kd) {
      yield kd.servers.clients();
    },
  },
];
