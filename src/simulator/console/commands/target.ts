/** What the target is and where the debugger looks: `vertarget`, `version`, `.process`, `.thread`, `.bugcheck` … */
import { stackOf } from '../../machine/machine.ts';
import type { GuestThread } from '../../machine/objects.ts';
import { type Command, CommandError, type Execution, type Invocation } from '../command.ts';
import type { Debugger } from '../debugger.ts';
import { timeLines, versionBlock } from '../events.ts';
import { evaluate } from '../expression.ts';
import { framesOf, siteOf } from '../stack.ts';
import { lastEventText } from '../stops.ts';
import { BANNER, tick, VERSION } from '../texts.ts';

/** How `version` and `||` name the connection: with the key in clear text, as the real engine does (engine.md §5). */
function connectionName(kd: Debugger): string {
  const { target } = kd.options;
  const remote = (transport: string) => `Remote KD: KdSrv:Server=@{<Local>},Trans=@{${transport}}`;
  switch (target.kind) {
    case 'net':
      return remote(
        `NET:Port=${target.port ?? 0},Key=${target.key},Target${target.target ? `=${target.target}` : ''}`,
      );
    case 'serial':
      return remote(`COM:Port=${target.device},Baud=115200,Timeout=4000`);
    case 'tcp':
      return remote(`COM:IpPort=${target.port},Port=${target.host}`);
    case 'usb':
      return remote(`USB:TargetName=${target.name}`);
    case 'dump':
      return `64-bit Kernel bitmap dump: ${target.files[0] ?? ''}`;
    case 'local':
      return 'Local KD';
    default:
      return '';
  }
}

const EXTENSION_PATH = 'C:\\Debuggers\\x64\\WINXP;C:\\Debuggers\\x64\\winext;C:\\Debuggers\\x64';

function chain(): string {
  return (
    `Extension DLL search Path:\n    ${EXTENSION_PATH}\nExtension DLL chain:\n` +
    `    dbghelp: image ${VERSION}, API 10.0.6, \n        [path: C:\\Debuggers\\x64\\dbghelp.dll]\n` +
    `    kdexts: image ${VERSION}, API 1.0.0, \n        [path: C:\\Debuggers\\x64\\WINXP\\kdexts.dll]\n`
  );
}

function* version(kd: Debugger): Execution {
  yield `${versionBlock(kd)}${connectionName(kd)}\n${BANNER}`;
  yield `command line: '${kd.options.commandLine}'  Debugger Process 0x${process.pid.toString(16).toUpperCase()} \n`;
  yield `dbgeng:  image ${VERSION}, \n        [path: C:\\Debuggers\\x64\\dbgeng.dll]\n`;
  yield chain();
}

function* setProcess(kd: Debugger, call: Invocation): Execution {
  const text = call.rest.replace(/\/\w+/g, '').trim();
  const current = kd.process ?? kd.machine.processes[0]?.address ?? 0n;
  const address = text === '' ? current : evaluate(kd, text);
  if (/\/i/.test(call.rest)) {
    yield "You need to continue execution (press 'g' <enter>) for the context\nto be switched. When the debugger breaks in again, you will be in\nthe new process context.\n";
    return;
  }
  if (text !== '') kd.process = address === 0n ? undefined : address;
  if (address !== 0n && !kd.machine.processes.some((p) => p.address === address))
    throw new CommandError(`Process ${tick(address)} has invalid page directories\n`);
  yield `Implicit process is now ${tick(address)}\n`;
  if (/\/r/.test(call.rest)) yield 'Loading User Symbols\n\n';
}

/** The thread at an address, of all processes. */
export function threadAt(kd: Debugger, address: bigint): GuestThread | undefined {
  for (const process of kd.machine.processes)
    for (const thread of process.threads) if (thread.address === address) return thread;
  return undefined;
}

function* setThread(kd: Debugger, call: Invocation): Execution {
  const text = call.rest.replace(/\/\w+/g, '').trim();
  const running = kd.machine.processes
    .flatMap((p) => p.threads)
    .find((t) => t.state === 'running' && t.processor === kd.processor);
  const address = text === '' ? (running?.address ?? 0n) : evaluate(kd, text);
  if (text !== '' && !threadAt(kd, address))
    throw new CommandError(`${tick(address)} is not a thread object\n`);
  kd.context = text === '' ? undefined : { kind: 'thread', address };
  yield `Implicit thread is now ${tick(address)}\n`;
}

function* frame(kd: Debugger, call: Invocation): Execution {
  const number = call.rest.trim() === '' ? 0 : Number(evaluate(kd, call.rest.replace(/\/\w+/g, '')));
  const frames = framesOf(kd, 0x100);
  const chosen = frames[number];
  if (!chosen) yield `Cannot find frame 0x${number.toString(16)}, previous scope unchanged\n`;
  const shown = chosen ?? frames[0];
  if (!shown) return;
  const index = (chosen ? number : 0).toString(16).padStart(2, '0');
  yield `${index} ${tick(shown.childSp)} ${tick(shown.returnAddress)}     ${siteOf(kd, shown.ip)}\n`;
}

function print(names: readonly string[], text: (kd: Debugger) => string): Command {
  return {
    names,
    *run(kd) {
      yield text(kd);
    },
  };
}

export const TARGET: readonly Command[] = [
  print(['vertarget'], versionBlock),
  { names: ['version'], run: version },
  print(['.time'], timeLines),
  print(['.lastevent'], lastEventText),
  print(['.chain'], chain),
  print(['.extpath'], () => `Extension search path is: ${EXTENSION_PATH}\n`),
  print(['.kdtargetmac'], () => 'The target machine MAC address in open-device format is: 00155D012345\n'),
  print(['||'], (kd) => `.  0 ${connectionName(kd)}\n`),
  print(['.bugcheck'], ({ machine: { bugcheck } }) => {
    const code = (bugcheck?.code ?? 0).toString(16).toUpperCase().padStart(8, '0');
    const list = bugcheck?.parameters ?? [0n, 0n, 0n, 0n];
    return `Bugcheck code ${code}\nArguments ${list.map(tick).join(' ')}\n`;
  }),
  { names: ['.process'], target: true, run: setProcess },
  { names: ['.thread'], target: true, run: setThread },
  { names: ['.frame'], run: frame },
  {
    names: ['.cxr', '.ecxr', '.trap'],
    *run(kd) {
      kd.context = undefined;
      yield '';
    },
  },
  {
    names: ['.effmach'],
    *run(kd, call) {
      const wanted = call.rest.trim();
      if (wanted !== '') kd.effectiveMachine = wanted === 'x86' ? 'x86' : 'x64';
      yield `Effective machine: ${kd.effectiveMachine === 'x86' ? 'x86 compatible (x86)' : 'x64 (AMD64)'}\n`;
    },
  },
  {
    names: ['rdmsr'],
    target: true,
    *run(kd, call) {
      const number = evaluate(kd, call.rest);
      const value = number === 0xc0000101n ? stackOf(kd.processor) : 0n;
      yield `msr[${number.toString(16)}] = ${tick(value)}\n`;
    },
  },
];
