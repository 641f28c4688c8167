/** `kd-mcp share` and `kd-mcp unshare`: a session opened to WinDbg, and closed again. */
import { openWinDbg } from '../client/windbg.ts';
import type { ShareParams } from '../host/protocol.ts';
import { findWinDbg, NO_WINDBG } from '../kd/windbg.ts';
import { readSetup } from './context.ts';
import { openPerson } from './person.ts';
import type { GlobalOptions } from './program.ts';

export interface ShareOptions extends GlobalOptions {
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly break?: boolean;
  readonly tcp?: string;
  readonly password?: string;
}

export async function share(id: string | undefined, options: ShareOptions): Promise<void> {
  const { kd } = readSetup(options).config;
  const sessions = openPerson(options);
  try {
    const windbg = options.open
      ? await findWinDbg({ windbgExe: kd.windbg_exe, kdExe: kd.kd_exe })
      : undefined;
    const session = await sessions.open(id);
    const { remote } = await session.share(paramsOf(options));
    if (windbg !== undefined) {
      await openWinDbg(windbg, remote);
      say(`WinDbg opens on ${session.id}. kd-mcp unshare ${session.id} takes nobody else from then on.`);
      return;
    }
    if (options.open) say(NO_WINDBG);
    say(`-remote ${remote}`);
  } finally {
    sessions.dispose();
  }
}

export async function unshare(
  id: string | undefined,
  options: GlobalOptions & { readonly break?: boolean },
): Promise<void> {
  const sessions = openPerson(options);
  try {
    const session = await sessions.open(id);
    const { sharing } = await session.unshare({ breakAndResume: options.break === true });
    const there = sharing?.attached.map(({ name }) => name) ?? [];
    say(`${session.id} takes no other debugger any more.`);
    if (there.length > 0) say(`Still connected, until they leave: ${there.join(', ')}`);
  } finally {
    sessions.dispose();
  }
}

function paramsOf({ tcp, password, break: breaks }: ShareOptions): ShareParams {
  if (tcp === undefined && password !== undefined)
    throw new Error('--password belongs to --tcp: a pipe gets one of its own.');
  return {
    breakAndResume: breaks === true,
    ...(tcp === undefined ? {} : { tcp: { port: Number(tcp), password: password ?? '' } }),
  };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
