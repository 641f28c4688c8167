/** Watching several addresses for WinRM at once; an address may name a port of its own. */
import { type Observation, type WaitResult, waitForWinrm } from '../winrm/probe.ts';

/** Who answered first, if anybody, and what was seen last of each address and port. */
export interface WinrmWatch {
  readonly answered: WaitResult['answered'];
  readonly last: readonly Observation[];
}

/** Settles with the first answer, when the time is over, or when the signal comes. Never rejects. */
export async function watchWinrm(
  addresses: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WinrmWatch> {
  const done = new AbortController();
  const either = AbortSignal.any([done.signal, signal]);
  const results = await Promise.all(
    groupByPort(addresses).map(async (group) => {
      const result = await waitForWinrm({ ...group, timeoutMs, signal: either });
      if (result.answered !== undefined) done.abort();
      return result;
    }),
  );
  return {
    answered: results.find((result) => result.answered !== undefined)?.answered,
    last: results.flatMap((result) => result.last),
  };
}

interface Group {
  readonly hosts: string[];
  readonly ports?: readonly number[];
}

/** Addresses without a port are watched on WinRM's own two. */
function groupByPort(addresses: readonly string[]): readonly Group[] {
  const groups = new Map<number | undefined, Group>();
  for (const { host, port } of addresses.map(addressOf)) {
    const group = groups.get(port) ?? { hosts: [], ...(port === undefined ? {} : { ports: [port] }) };
    group.hosts.push(host);
    groups.set(port, group);
  }
  return [...groups.values()];
}

/** `10.0.0.5`, `guest:15985`, `[fe80::1]:5985`; an IPv6 address without brackets has no port. */
export function addressOf(text: string): { readonly host: string; readonly port?: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text.trim());
  if (match === null) return { host: text.trim() };
  const host = match[1] ?? match[2] ?? '';
  return match[3] === undefined ? { host } : { host, port: Number(match[3]) };
}
