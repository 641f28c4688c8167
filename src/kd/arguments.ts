/** A valid connection as kd's arguments, with the secrets among them (kd-behaviour.md §1.1, §1.2). */
import type { Connection } from './connection.ts';
import { keyProblem } from './kdnet-key.ts';

/** kd's arguments for a connection, and what of them nobody may see. */
export interface KdArguments {
  readonly args: readonly string[];
  /** Key and passwords, to be taken out of all output. kd itself prints them, e.g. for `version`. */
  readonly secrets: readonly string[];
}

/**
 * Builds kd's arguments: always `-noshell`, never `-bonc` (it would stop the guest again at every reconnect; a break
 * sent while waiting does it once, design.md §3). The connection must be valid.
 */
export function kdArguments(
  connection: Connection,
  options: { readonly symbolPath?: string | undefined } = {},
): KdArguments {
  const symbols =
    options.symbolPath === undefined || options.symbolPath === '' ? [] : ['-y', options.symbolPath];
  const common = ['-noshell', ...symbols];
  const { args, secrets } = transportArguments(connection);
  // `-remote` must come first (kd-behaviour.md §1.1).
  return { args: connection.transport === 'remote' ? [...args, ...common] : [...common, ...args], secrets };
}

function transportArguments(connection: Connection): KdArguments {
  switch (connection.transport) {
    case 'net': {
      const target = connection.target === undefined ? '' : `,target=${connection.target}`;
      return {
        args: ['-k', `net:port=${connection.port},key=${connection.key}${target}`],
        secrets: [connection.key],
      };
    }
    case 'com': {
      const baud = connection.baud === undefined ? '' : `,baud=${connection.baud}`;
      return { args: ['-k', `com:port=${connection.port}${baud}`], secrets: [] };
    }
    case 'pipe': {
      const resets = connection.resets === undefined ? '' : `,resets=${connection.resets}`;
      return {
        args: [
          '-k',
          `com:pipe,port=${connection.pipe}${resets}${connection.reconnect === true ? ',reconnect' : ''}`,
        ],
        secrets: [],
      };
    }
    case 'tcp':
      return { args: ['-k', `com:ipport=${connection.port},port=${connection.host}`], secrets: [] };
    case 'usb':
      return { args: ['-k', `usb:targetname=${connection.targetName}`], secrets: [] };
    case 'local':
      return { args: ['-kl'], secrets: [] };
    case 'dump':
      return { args: connection.files.flatMap((file) => ['-z', file]), secrets: [] };
    case 'remote':
      return { args: ['-remote', connection.remote], secrets: secretsIn(connection.remote) };
    case 'raw':
      return { args: ['-k', connection.k.trim()], secrets: secretsIn(connection.k) };
    case 'simulator':
      // The simulator takes kd's options and its own; it has no real key. Without a port it takes none, so that two of
      // them can run.
      return {
        args: ['--scenario', connection.scenario, '-k', 'net:key=1.2.3.4'],
        secrets: ['1.2.3.4'],
      };
  }
}

/** Keys and passwords in a connection text, also inside `@{…}` (kd-behaviour.md §1.2, §9). */
export function secretsIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:key|password)\s*=\s*([^,{}@\s"']+)/gi)].map((match) => match[1] ?? '');
}

/** Connection texts in a line: protocol, colon, parts with commas. */
const CONNECTION = /\b(?:net|npipe|tcp|spipe|ssl|com)[\w:-]*:[^\s"']*/gi;
/** Shorter ones would blank words of every other output. */
const SHORTEST_LEARNT = 4;

/**
 * Secrets that somebody typed in a command line: passwords and keys in connection texts (`.server npipe:…,password=…`),
 * and whatever is called key and is shaped like one.
 */
export function secretsTyped(line: string): readonly string[] {
  if (!/key|password/i.test(line)) return [];
  const inConnections = [...line.matchAll(CONNECTION)].flatMap(([text]) => secretsIn(text));
  const keys = secretsIn(line).filter((secret) => keyProblem(secret) === undefined);
  return [...inConnections.filter((secret) => secret.length >= SHORTEST_LEARNT), ...keys];
}

/** The same text with each secret replaced by `…`. */
export function withoutSecrets(text: string): string {
  return text.trim().replace(/\b((?:key|password)\s*=\s*)[^,{}@\s"']+/gi, '$1…');
}
