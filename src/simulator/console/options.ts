/** The command line: kd's own options (kd-behaviour.md §1.1) and the simulator's, which begin with two dashes. */

/** What kd was told to connect to, as the text behind `-k` says. */
export type Target =
  | {
      readonly kind: 'net';
      readonly port: number | undefined;
      readonly key: string;
      readonly target?: string;
    }
  | {
      readonly kind: 'serial';
      readonly device: string;
      readonly reconnect: boolean;
      readonly form: 'com' | 'pipe';
    }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'usb'; readonly name: string }
  | { readonly kind: 'local' }
  | { readonly kind: 'dump'; readonly files: readonly string[] }
  | { readonly kind: 'remote'; readonly text: string }
  | { readonly kind: 'bad'; readonly text: string }
  | { readonly kind: 'version' };

export interface KdOptions {
  readonly target: Target;
  readonly commandLine: string;
  readonly symbolPath: string | undefined;
  readonly imagePath: string;
  readonly initialCommand: string | undefined;
  readonly breakOnConnect: boolean;
  readonly quiet: boolean;
  readonly noShell: boolean;
  /** What follows `-server`. */
  readonly server: string | undefined;
}

export interface SimulatorOptions {
  readonly scenario: string;
  readonly guestFile: string | undefined;
  readonly winrm: { readonly host: string; readonly port: number } | undefined;
  readonly seed: number;
  readonly chunk: boolean;
  readonly codePage: number | undefined;
  readonly control: string | undefined;
  readonly style: string;
  readonly listScenarios: boolean;
  readonly help: boolean;
}

/** What `--help` prints. */
export const USAGE_TEXT = `kd.exe simulated: takes kd's options (-k, -kl, -z, -y, -i, -c, -bonc, -kqm, -noshell, -server, -remote, -version) and

  --scenario NAME      what the guest does by itself (idle)
  --list-scenarios     their names
  --guest FILE         keeps the guest's state (JSON) from one kd to the next
  --winrm HOST[:PORT]  a port that answers as WinRM does while the guest runs (5985)
  --control PATH       Unix socket or named pipe: one request per line, one line of answer
  --acp N              ANSI code page of the debugger's host (1252)
  --style A,B          words of other kd versions
  --chunk, --seed N    output in random pieces
`;

const SIMULATOR_VALUES = ['scenario', 'guest', 'winrm', 'seed', 'acp', 'control', 'style'];
/** kd options that take the next argument as their value. */
const KD_VALUES = [
  'k',
  'kx',
  'y',
  'i',
  'z',
  'zp',
  'c',
  'cf',
  'cfr',
  'remote',
  'server',
  'srcpath',
  'sflags',
  't',
  'clines',
  'logo',
  'loga',
  'logou',
  'logau',
  'ee',
  'p',
  'wake',
  'iu',
  'QR',
];

export function parseOptions(args: readonly string[]): {
  readonly kd: KdOptions;
  readonly simulator: SimulatorOptions;
} {
  const simulator = new Map<string, string>();
  const kd = new Map<string, string>();
  const dumps: string[] = [];
  const shown: string[] = ['kd.exe'];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const next = args[i + 1] ?? '';
    if (arg.startsWith('--')) {
      const equals = arg.indexOf('=');
      const name = arg.slice(2, equals < 0 ? undefined : equals);
      if (equals >= 0) simulator.set(name, arg.slice(equals + 1));
      else if (SIMULATOR_VALUES.includes(name)) {
        simulator.set(name, next);
        i++;
      } else simulator.set(name, '');
      continue;
    }
    shown.push(/\s/.test(arg) ? `"${arg}"` : arg);
    const name = /^[-/]/.test(arg) ? arg.slice(1) : '';
    if (!KD_VALUES.includes(name)) {
      kd.set(name, '');
      continue;
    }
    kd.set(name, next);
    if (name === 'z') dumps.push(next);
    shown.push(/\s/.test(next) ? `"${next}"` : next);
    i++;
  }
  return {
    kd: {
      target: targetOf(kd, dumps),
      commandLine: shown.join(' '),
      symbolPath: kd.get('y'),
      imagePath: kd.get('i') ?? '',
      initialCommand: kd.get('c'),
      breakOnConnect: kd.has('bonc'),
      quiet: kd.has('kqm') || kd.has('myob') || process.env.KDQUIET !== undefined,
      noShell: kd.has('noshell'),
      server: kd.get('server'),
    },
    simulator: {
      scenario: simulator.get('scenario') ?? 'idle',
      guestFile: simulator.get('guest'),
      winrm: winrmOf(simulator.get('winrm')),
      seed: Number(simulator.get('seed') ?? 1),
      chunk: simulator.has('chunk'),
      codePage: simulator.has('acp') ? Number(simulator.get('acp')) : undefined,
      control: simulator.get('control'),
      style: simulator.get('style') ?? '',
      listScenarios: simulator.has('list-scenarios'),
      help: simulator.has('help'),
    },
  };
}

function winrmOf(text: string | undefined): SimulatorOptions['winrm'] {
  if (text === undefined) return undefined;
  const match = /^(.*?)(?::(\d+))?$/.exec(text);
  return { host: match?.[1] || '127.0.0.1', port: Number(match?.[2] ?? 5985) };
}

function targetOf(kd: ReadonlyMap<string, string>, dumps: readonly string[]): Target {
  if (kd.has('version')) return { kind: 'version' };
  const remote = kd.get('remote');
  if (remote !== undefined) return { kind: 'remote', text: remote };
  if (dumps.length > 0) return { kind: 'dump', files: dumps };
  if (kd.has('kl')) return { kind: 'local' };
  return connectionOf(kd.get('k') ?? 'com:port=\\\\.\\com1');
}

/** Parses the text behind `-k`. kd itself complains of almost nothing (engine.md §5). */
export function connectionOf(text: string): Target {
  const colon = text.indexOf(':');
  const kind = text.slice(0, colon < 0 ? undefined : colon).toLowerCase();
  const fields = new Map<string, string>();
  for (const part of colon < 0 ? [] : text.slice(colon + 1).split(',')) {
    const equals = part.indexOf('=');
    fields.set(
      (equals < 0 ? part : part.slice(0, equals)).toLowerCase(),
      equals < 0 ? '' : part.slice(equals + 1),
    );
  }
  const port = fields.get('port');
  if (kind === 'net') {
    const target = fields.get('target');
    return {
      kind: 'net',
      port: port === undefined ? undefined : Number(port),
      key: fields.get('key') ?? '',
      ...(target === undefined ? {} : { target }),
    };
  }
  if (kind === 'usb' || kind === 'usb2') return { kind: 'usb', name: fields.get('targetname') ?? '' };
  if (kind !== 'com') return { kind: 'bad', text };
  const tcpPort = fields.get('ipport');
  if (tcpPort !== undefined) return { kind: 'tcp', host: port ?? '127.0.0.1', port: Number(tcpPort) };
  const device = port ?? '\\\\.\\com1';
  if (fields.has('pipe')) return { kind: 'serial', device, reconnect: fields.has('reconnect'), form: 'pipe' };
  return {
    kind: 'serial',
    device: /^com\d+$/i.test(device) ? `\\\\.\\${device}` : device,
    reconnect: false,
    form: 'com',
  };
}
