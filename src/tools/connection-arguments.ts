/** The flat arguments of start_kd and the connection they mean. */
import type { Config } from '../config/schema.ts';
import { TRANSPORTS } from '../config/transports.ts';
import type { Connection, Transport } from '../kd/connection.ts';
import { parseKernelString, validateConnection } from '../kd/transport.ts';
import { number, text } from './arguments.ts';
import { type Argument, type Arguments, ToolError } from './tool.ts';

export const CONNECTION_ARGUMENTS: Readonly<Record<string, Argument>> = {
  port: {
    type: 'integer',
    description: 'UDP port of KDNET, or TCP port with host',
    minimum: 1,
    maximum: 65535,
  },
  key: { type: 'string', description: 'KDNET key w.x.y.z' },
  target: { type: 'string', description: 'Only if kd must contact the guest: its address' },
  kdnet: {
    type: 'string',
    description: 'Instead: "net:port=…,key=…", or the text kdnet.exe or bcdedit printed',
  },
  transport: {
    type: 'string',
    description: 'Default: what the other arguments mean, else net',
    enum: TRANSPORTS,
  },
  com_port: { type: 'string', description: 'com: COM1' },
  baud: { type: 'integer', description: 'com: default 115200', minimum: 1 },
  pipe: { type: 'string', description: 'pipe: \\\\.\\pipe\\name of a virtual machine' },
  host: { type: 'string', description: 'tcp: serial line over TCP, with port' },
  target_name: { type: 'string', description: 'usb' },
  dump_file: { type: 'string', description: 'dump: path of a memory dump' },
  remote: {
    type: 'string',
    description: 'remote: npipe:server=…,pipe=…,password=… of a debugger that is open; leaving never ends it',
  },
  k: { type: 'string', description: 'raw: the text behind kd -k' },
  scenario: { type: 'string', description: 'simulator: e.g. idle' },
};

/** The argument that tells a transport apart from the others. */
const TELLING: readonly (readonly [argument: string, transport: Transport])[] = [
  ['kdnet', 'net'],
  ['com_port', 'com'],
  ['pipe', 'pipe'],
  ['host', 'tcp'],
  ['target_name', 'usb'],
  ['dump_file', 'dump'],
  ['remote', 'remote'],
  ['k', 'raw'],
  ['scenario', 'simulator'],
  ['key', 'net'],
];

/** @throws ToolError that says which argument is missing or does not belong */
export function connectionOf(args: Arguments, config: Config): Connection {
  const named = TELLING.filter(([argument]) => text(args, argument) !== undefined);
  const asked = TRANSPORTS.find((transport) => transport === text(args, 'transport'));
  const transport =
    asked ?? named[0]?.[1] ?? (number(args, 'port') === undefined ? config.kd.default_transport : 'net');
  const stray = named.filter(([, belongsTo]) => belongsTo !== transport).map(([argument]) => argument);
  if (stray.length > 0) {
    throw new ToolError(
      `${stray.join(', ')} does not belong to transport ${transport}. Leave it out, or set transport.`,
    );
  }
  const connection = build(transport, args, config);
  // kd takes a missing or malformed key or port in silence and then waits for ever (engine.md §5).
  const errors = validateConnection(connection).filter((problem) => problem.severity === 'error');
  if (errors.length > 0) throw new ToolError(errors.map((problem) => problem.message).join(' '));
  return connection;
}

function build(transport: Transport, args: Arguments, config: Config): Connection {
  const need = (name: string): string => {
    const value = text(args, name)?.trim();
    if (value === undefined || value === '') throw new ToolError(`transport ${transport} needs ${name}.`);
    return value;
  };
  switch (transport) {
    case 'net':
      return netConnection(args, config);
    case 'com': {
      const baud = number(args, 'baud');
      return { transport, port: need('com_port'), ...(baud === undefined ? {} : { baud }) };
    }
    case 'pipe':
      return { transport, pipe: need('pipe'), reconnect: true, resets: 0 };
    case 'tcp': {
      const port = number(args, 'port');
      if (port === undefined) throw new ToolError('transport tcp needs port (and host).');
      return { transport, host: need('host'), port };
    }
    case 'usb':
      return { transport, targetName: need('target_name') };
    case 'local':
      return { transport };
    case 'dump':
      return {
        transport,
        files: need('dump_file')
          .split(';')
          .map((file) => file.trim()),
      };
    case 'remote':
      return { transport, remote: need('remote') };
    case 'raw':
      return { transport, k: need('k') };
    case 'simulator':
      return { transport, scenario: text(args, 'scenario')?.trim() || 'idle' };
  }
}

function netConnection(args: Arguments, { kd }: Config): Connection {
  const pasted = text(args, 'kdnet') ?? (text(args, 'key') === undefined ? kd.default_kdnet : undefined);
  const whole = pasted === undefined || pasted.trim() === '' ? undefined : pastedConnection(pasted);
  // The text may be of another transport (`-k com:…`): then it says everything.
  if (whole !== undefined && whole.transport !== 'net') return whole;
  const port = number(args, 'port') ?? whole?.port ?? kd.default_port;
  const key = (text(args, 'key') ?? whole?.key ?? kd.default_key)?.trim();
  const target = (text(args, 'target') ?? whole?.target ?? kd.default_target)?.trim();
  if (key === undefined || key === '') {
    throw new ToolError(
      'A KDNET connection needs key (or kdnet, or kd.default_key in the configuration). configure_kdnet of WinRM-MCP makes one: then call start_from_state.',
    );
  }
  return { transport: 'net', port, key, ...(target ? { target } : {}) };
}

function pastedConnection(pasted: string): Connection {
  const parsed = parseKernelString(pasted);
  if (!parsed.ok) throw new ToolError(`kdnet: ${parsed.error}`);
  return parsed.connection;
}
