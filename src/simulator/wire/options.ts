/** The command line of the wire face: `--wire --port P --key K …`. */
import { parseArgs } from 'node:util';
import { keysOf, type SessionKeys } from './keys.ts';
import { type WireScenario, wireScenarioNamed } from './scenario.ts';

export interface WireOptions {
  readonly port: number;
  readonly keys: SessionKeys;
  readonly host: string;
  readonly version: number;
  readonly scenario: WireScenario;
  readonly loss: number;
  readonly reorder: number;
  readonly duplicate: number;
  readonly seed: number;
  readonly control: string | undefined;
  readonly guestFile: string | undefined;
  readonly winrm: { readonly host: string; readonly port: number } | undefined;
}

export const WIRE_USAGE = `kd-mcp simulate --wire --port PORT --key W.X.Y.Z [options]
A simulated Windows kernel that a real kd.exe or WinDbg debugs over KDNET:
  kd.exe -k net:port=PORT,key=W.X.Y.Z

  --host IP          where the debugger runs (127.0.0.1)
  --scenario NAME    what the guest does by itself; --list-scenarios names them
  --loss PERCENT     of the packets get lost, in each direction
  --reorder PERCENT  arrive late, --duplicate PERCENT twice, the same for the same --seed N
  --protocol N       version of KDNET, 2 to 5 (4)
  --control PATH     a socket (Windows: a named pipe) that takes the lines that stdin takes
  --guest FILE       keeps the guest's state, as a file that others may read
  --winrm HOST[:P]   a port that answers as WinRM does while the guest runs

Lines on stdin: hit [SYMBOL], load [NAME], unload [NAME], print TEXT, ask, bugcheck [CODE [P1 P2 P3 P4]],
  reboot, shutdown, reset, vanish, back, appear, state, exit
`;

const OPTIONS = {
  wire: { type: 'boolean' },
  port: { type: 'string' },
  key: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  scenario: { type: 'string', default: 'idle' },
  loss: { type: 'string', default: '0' },
  reorder: { type: 'string', default: '0' },
  duplicate: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  protocol: { type: 'string', default: '4' },
  control: { type: 'string' },
  guest: { type: 'string' },
  winrm: { type: 'string' },
} as const;

/** The options, or what is wrong with them in words that say how to do it right. */
export function parseWireOptions(args: readonly string[]): WireOptions | string {
  let values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options: OPTIONS }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const port = Number(values.port);
  if (!(Number.isInteger(port) && port > 0 && port < 65536))
    return '--port takes the UDP port of the debugger, e.g. --port 50000';
  const keys = keysOf(values.key ?? '');
  if (!keys) return '--key takes four numbers in base 36, e.g. --key 1.2.3.4';
  const version = Number(values.protocol);
  if (![2, 3, 4, 5].includes(version)) return '--protocol takes 2, 3, 4 or 5';
  const percent = [values.loss, values.reorder, values.duplicate].map(Number);
  if (!percent.every((share) => share >= 0 && share < 100))
    return '--loss, --reorder and --duplicate take percents from 0 to 99';
  const scenario = wireScenarioNamed(values.scenario);
  if (typeof scenario === 'string') return scenario;
  const [loss = 0, reorder = 0, duplicate = 0] = percent;
  return {
    port,
    keys,
    host: values.host,
    version,
    scenario,
    loss,
    reorder,
    duplicate,
    seed: Number(values.seed),
    control: values.control,
    guestFile: values.guest,
    winrm: winrmOf(values.winrm),
  };
}

function winrmOf(text: string | undefined): WireOptions['winrm'] {
  if (text === undefined) return undefined;
  const match = /^(.*?)(?::(\d+))?$/.exec(text);
  return { host: match?.[1] || '127.0.0.1', port: Number(match?.[2] ?? 5985) };
}
